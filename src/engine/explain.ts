import { EXPLAIN_CAP } from "../core/defaults.js";
import type { FlowLink } from "../core/flow.js";
import { formatInstant } from "../core/instant.js";
import type { CancellationReason, Instant, Job, JobDetail } from "../core/job.js";
import { isFinished, type JobState } from "../core/states.js";
import type { HeldBack } from "../core/held-back.js";
import type { WorkerRecord } from "../store/workers.js";
import type { EngineContext } from "./context.js";
import { jobNotFound } from "./job-change.js";
import { serves } from "./unhandled.js";
import { WORKER_TIMEOUT_MS } from "./worker-timeout.js";

/** Open dependencies that are named. */
const NAMED = 5;
/** Open dependencies among which those are looked for that a caller may know about. */
const LOOKED_AT = 100;

/** Why a job is not running, or that it is, or how it ended. */
export type Explanation = Reason & {
  readonly state: JobState;
  /** A job that waits is cancelled then, unless it starts before; `null`: it waits as long as it takes. */
  readonly expiresAt: Instant | null;
  /** An English sentence for people. */
  readonly detail: string;
};

/** The first condition of a claim that is not met, with its facts. */
export type Reason =
  | {
      readonly reason: "running";
      readonly facts: { readonly workerId: string; readonly since: Instant; readonly leaseUntil: Instant };
    }
  | { readonly reason: "finished"; readonly facts: Finished }
  | { readonly reason: "blocked"; readonly facts: Blocked }
  | { readonly reason: "scheduled"; readonly facts: Scheduled }
  | {
      readonly reason: "queue_paused";
      readonly facts: { readonly since: Instant; readonly pauseReason: string | null };
    }
  | { readonly reason: "no_worker"; readonly facts: { readonly queue: string; readonly name: string } }
  | { readonly reason: "limited"; readonly facts: Limited }
  | { readonly reason: "workers_busy"; readonly facts: Slots }
  | {
      readonly reason: "waiting_turn";
      /** `ahead`: jobs of the same queue and name that are claimed first. `capped`: there are more. */
      readonly facts: { readonly ahead: number; readonly capped: boolean } & Slots;
    };

export interface Finished {
  readonly since: Instant;
  /** Why a cancelled job is cancelled. */
  readonly cancelled: CancellationReason | null;
}

/** What a job waits for. Its dependencies are open until they have ended in a way that its policy goes on with. */
export interface Blocked {
  readonly since: Instant;
  /** Dependencies that are open. */
  readonly open: number;
  /** Up to five of them that the caller may know about: those that ended badly first. */
  readonly dependencies: readonly Pick<FlowLink, "id" | "ref" | "state">[];
  /** One of them ended badly, and the job waits until somebody retries it. */
  readonly stuck: boolean;
}

export interface Scheduled {
  readonly until: Instant;
  /** `retry`: the latest attempt failed. `snooze`: it asked to be called later. */
  readonly cause: "first_run" | "retry" | "snooze";
  /** Attempts that count so far. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** The limit of the queue, or of the key, that holds the job back. */
export interface Limited {
  readonly limit: HeldBack["limit"];
  /** `null` for a limit of the queue. */
  readonly key: string | null;
  /** When a hold ends, or a rate lets in the next job; `null` for a concurrency. */
  readonly until: Instant | null;
  /** Of a concurrency or a rate. */
  readonly max: number | null;
  /** The time in which a rate lets `max` start, in milliseconds; `null` for others. */
  readonly perMs: number | null;
}

/** Of the live workers that serve the job. As they said it last, up to some seconds ago. */
export interface Slots {
  readonly workers: number;
  readonly slots: number;
  readonly running: number;
}

/**
 * Tells why a job is not running: the first condition of a claim that it does not meet. Reads one moment after the
 * other, so in the middle of a change it may tell of either side. Costs the same whatever the backlog; of a blocked job it
 * grows with its open dependencies.
 *
 * @param isVisible whether the caller may know about jobs of a queue that this one waits for
 * @throws KonveierError `job_not_found`
 */
export async function explain(
  context: EngineContext,
  id: string,
  isVisible: (queue: string) => boolean = () => true,
): Promise<Explanation> {
  const job = await context.store.jobs.detail(id);
  if (job === null) throw jobNotFound(id);
  const reason = await reasonOf(context, job, isVisible);
  const expiresAt = isWaiting(job.state) ? job.expiresAt : null;
  const why = sentence(reason, job, context.store.now());
  const until = expiresAt === null ? "" : ` Not started by ${formatInstant(expiresAt)}, it is cancelled.`;
  return { state: job.state, detail: `${why}${until}`, expiresAt, ...reason };
}

function isWaiting(state: JobState): boolean {
  return state === "blocked" || state === "scheduled" || state === "pending";
}

async function reasonOf(
  context: EngineContext,
  job: JobDetail,
  isVisible: (queue: string) => boolean,
): Promise<Reason> {
  switch (job.state) {
    case "running":
      return {
        reason: "running",
        facts: {
          workerId: job.workerId ?? "",
          since: job.startedAt ?? job.runAt,
          leaseUntil: job.leaseExpiresAt ?? job.runAt,
        },
      };
    case "completed":
    case "dead":
    case "cancelled":
      return {
        reason: "finished",
        facts: { since: job.finishedAt ?? job.runAt, cancelled: job.cancellation?.reason ?? null },
      };
    case "blocked":
      return { reason: "blocked", facts: await blockedFacts(context, job, isVisible) };
    case "scheduled":
      return { reason: "scheduled", facts: await scheduledFacts(context, job) };
    case "pending":
      return whyPending(context, job);
  }
}

async function blockedFacts(
  { store }: EngineContext,
  { id, createdAt }: Job,
  isVisible: (queue: string) => boolean,
): Promise<Blocked> {
  const { count, first } = await store.flows.openDependencies(id, LOOKED_AT);
  return {
    since: createdAt,
    open: count,
    dependencies: first
      .filter(({ queue }) => isVisible(queue))
      .slice(0, NAMED)
      .map(({ id, ref, state }) => ({ id, ref, state })),
    // Of other policies the end is still to be told to this job.
    stuck: first.some(({ state, onFailure }) => onFailure === "block" && isFinished(state)),
  };
}

async function scheduledFacts({ store }: EngineContext, job: Job): Promise<Scheduled> {
  const { runAt: until, attempt, maxAttempts, token } = job;
  if (token === null) return { until, cause: "first_run", attempt, maxAttempts };
  // A failed attempt leaves a record, a snoozed one does not.
  const latest = (await store.jobs.attempts(job.id)).at(-1);
  return { until, cause: latest?.token === token ? "retry" : "snooze", attempt, maxAttempts };
}

/** In the order in which a claim asks. */
async function whyPending({ store }: EngineContext, job: Job): Promise<Reason> {
  const { queue, name } = job;
  const { pausedAt = null, pauseReason = null } = (await store.queues.get(queue)) ?? {};
  if (pausedAt !== null) return { reason: "queue_paused", facts: { since: pausedAt, pauseReason } };
  const workers = (await store.workers.list(WORKER_TIMEOUT_MS)).filter(
    (worker) => worker.state === "active" && serves(worker, queue, name),
  );
  if (workers.length === 0) return { reason: "no_worker", facts: { queue, name } };
  const heldBack = await store.queues.heldBack(job.id);
  if (heldBack !== null) return { reason: "limited", facts: limitedFacts(heldBack) };
  const slots = slotsOf(workers);
  if (workers.every(({ running, concurrency }) => running >= concurrency)) {
    return { reason: "workers_busy", facts: slots };
  }
  const ahead = await store.queues.ahead(job, EXPLAIN_CAP + 1);
  const facts = { ahead: Math.min(ahead, EXPLAIN_CAP), capped: ahead > EXPLAIN_CAP, ...slots };
  return { reason: "waiting_turn", facts };
}

function limitedFacts(heldBack: HeldBack): Limited {
  const { limit, key } = heldBack;
  return {
    limit,
    key,
    until: "until" in heldBack ? heldBack.until : null,
    max: "max" in heldBack ? heldBack.max : null,
    perMs: "perMs" in heldBack ? heldBack.perMs : null,
  };
}

function slotsOf(workers: readonly WorkerRecord[]): Slots {
  const sum = (of: (worker: WorkerRecord) => number) =>
    workers.reduce((total, worker) => total + of(worker), 0);
  return {
    workers: workers.length,
    slots: sum(({ concurrency }) => concurrency),
    running: sum(({ running }) => running),
  };
}

function sentence(reason: Reason, job: Job, now: Instant): string {
  switch (reason.reason) {
    case "running": {
      const { workerId, since, leaseUntil } = reason.facts;
      const lease =
        leaseUntil > now
          ? `its lease holds until ${formatInstant(leaseUntil)}`
          : `its lease ended at ${formatInstant(leaseUntil)}, and it is taken away from the worker soon`;
      return `The job runs on worker ${workerId} since ${formatInstant(since)}; ${lease}.`;
    }
    case "finished":
      return `The job is ${job.state} since ${formatInstant(reason.facts.since)}${cancelledText(reason.facts)}.`;
    case "blocked":
      return blockedSentence(reason.facts);
    case "scheduled":
      return scheduledSentence(reason.facts, now);
    case "queue_paused": {
      const { since, pauseReason } = reason.facts;
      const why = pauseReason === null ? "" : `: ${pauseReason}`;
      return `The queue ${job.queue} is paused since ${formatInstant(since)}${why}.`;
    }
    case "no_worker":
      return `No live worker serves jobs named ${job.name} of the queue ${job.queue}.`;
    case "limited":
      return limitedSentence(reason.facts, job.queue);
    case "workers_busy":
      return `All slots are taken: ${slotsText(reason.facts)}.`;
    case "waiting_turn":
      return turnSentence(reason.facts);
  }
}

function cancelledText({ cancelled }: Finished): string {
  if (cancelled === null) return "";
  return {
    by_hand: ": by hand",
    expired: ": it had not started in time",
    queue_full: ": its queue was full, and a new job took its place",
    dependency: ": a job that it depends on did not complete",
  }[cancelled];
}

function blockedSentence({ open, dependencies, stuck }: Blocked): string {
  if (open === 0)
    return "No dependency of the job is open: it goes on within moments, once its whole flow is there.";
  const named = dependencies.map(({ ref, id, state }) => `${ref} (job ${id}, ${state})`);
  const others = open - named.length;
  if (others > 0 && named.length > 0) named.push(`${others} more`);
  const jobs = open === 1 ? "1 job" : `${open} jobs`;
  const which = named.length === 0 ? "" : `: ${named.join(", ")}`;
  const what = `The job waits for ${jobs} of its flow${which}.`;
  return stuck ? `${what} It goes on only when what did not complete is retried by hand.` : what;
}

function limitedSentence({ limit, key, until, max }: Limited, queue: string): string {
  const most = String(max);
  const whose = key === null ? `of the queue ${queue}` : `with the key ${key} of the queue ${queue}`;
  const when = until === null ? "" : ` until ${formatInstant(until)}`;
  switch (limit) {
    case "hold":
    case "key_hold":
      return `A handler asked that no job ${whose} is started${when}.`;
    case "concurrency":
    case "key_concurrency":
      return `As many jobs ${whose} are running as may: ${most}.`;
    case "rate":
    case "key_rate":
      return `As many jobs ${whose} were started as may${when}: ${most}.`;
  }
}

function scheduledSentence({ until, cause, attempt, maxAttempts }: Scheduled, now: Instant): string {
  const what = {
    first_run: "Its first run",
    retry: `The retry after attempt ${attempt} of ${maxAttempts}`,
    snooze: "The run that its handler put off",
  }[cause];
  return until > now
    ? `${what} is scheduled for ${formatInstant(until)}.`
    : `${what} was due at ${formatInstant(until)}; the job becomes claimable within moments.`;
}

function turnSentence({ ahead, capped, ...slots }: Extract<Reason, { reason: "waiting_turn" }>["facts"]) {
  if (ahead === 0) return `The job is the next of its queue and name: ${slotsText(slots)}.`;
  const jobs = ahead === 1 ? "1 job" : `${capped ? "More than " : ""}${ahead} jobs`;
  return `${jobs} of the same queue and name ${ahead === 1 ? "goes" : "go"} first: ${slotsText(slots)}.`;
}

function slotsText({ workers, slots, running }: Slots): string {
  const who = workers === 1 ? "1 live worker serves" : `${workers} live workers serve`;
  return `${who} such jobs and ${workers === 1 ? "runs" : "run"} ${running} jobs in ${slots} slots`;
}
