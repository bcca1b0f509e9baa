import type { AttemptView, JobDetailView } from "../../api/types.js";

type TimelineJob = Pick<
  JobDetailView,
  "state" | "createdAt" | "runAt" | "startedAt" | "finishedAt" | "attempt" | "token"
>;

export interface AttemptStep {
  readonly type: "attempt";
  readonly attempt: AttemptView;
  /** From when it could be claimed until it was; `null`: not known. */
  readonly waitMs: number | null;
  /** `null`: it runs still. */
  readonly runMs: number | null;
}

/** What happened to a job, in order. */
export type Step =
  | { readonly type: "created"; readonly at: string }
  /** Of a job that was made for later. */
  | { readonly type: "due"; readonly at: string }
  /** Attempts of which nothing is kept any more. */
  | { readonly type: "dropped"; readonly count: number }
  | AttemptStep
  | { readonly type: "backoff"; readonly ms: number }
  /** It was finished, and somebody retried it. `at`: due; `null` where nothing tells that any more. */
  | { readonly type: "revived"; readonly at: string | null }
  /** The latest run was given back unfinished: snoozed, or released at a shutdown. It counts as no attempt. */
  | { readonly type: "given-back"; readonly startedAt: string | null }
  | { readonly type: "ready" }
  /** `ms`: after the failure, where it was one that it waits after. */
  | { readonly type: "next"; readonly at: string; readonly ms: number | null }
  | { readonly type: "end"; readonly state: "completed" | "dead" | "cancelled"; readonly at: string };

/** Puts together what is known of a job's past, and what comes next. */
export function timelineOf(job: TimelineJob, attempts: readonly AttemptView[]): Step[] {
  const steps: Step[] = [{ type: "created", at: job.createdAt }];
  const [first] = attempts;
  const latest = attempts.at(-1);
  const delayed = Date.parse(job.runAt) - Date.parse(job.createdAt) > 0;
  // Later `runAt` is that of the next attempt.
  const firstRunKnown =
    attempts.length === 0 || (attempts.length === 1 && isBefore(job.runAt, first?.startedAt));
  const givenBack = job.token !== null && job.token !== latest?.token && !runs(job);
  if (delayed && firstRunKnown && !givenBack) steps.push({ type: "due", at: job.runAt });
  if (first !== undefined && first.number > 1) steps.push({ type: "dropped", count: first.number - 1 });
  let before: AttemptView | null = null;
  for (const attempt of attempts) {
    steps.push(...between(job, before, attempt, attempt === latest));
    steps.push(attemptStep(attempt, readyAt(job, before, attempt, firstRunKnown)));
    before = attempt;
  }
  steps.push(...endOf(job, latest, givenBack));
  return steps;
}

function runs(job: TimelineJob): boolean {
  return job.state === "running" || job.state === "completed";
}

function between(
  job: TimelineJob,
  before: AttemptView | null,
  attempt: AttemptView,
  isLatest: boolean,
): Step[] {
  if (before === null || attempt.number === before.number) return [];
  if (before.retryDelayMs !== null) return [{ type: "backoff", ms: before.retryDelayMs }];
  return [{ type: "revived", at: isLatest ? revivedDueAt(job, before, attempt) : null }];
}

/** A retry by hand makes the job due at once; its due time stays until another failure or a snooze moves it. */
function revivedDueAt({ runAt }: TimelineJob, before: AttemptView, after: AttemptView | null): string | null {
  const isAfter = before.finishedAt !== null && Date.parse(runAt) >= Date.parse(before.finishedAt);
  return isAfter && (after === null || isBefore(runAt, after.startedAt)) ? runAt : null;
}

function attemptStep(attempt: AttemptView, ready: number | null): AttemptStep {
  const started = Date.parse(attempt.startedAt);
  return {
    type: "attempt",
    attempt,
    waitMs: ready === null ? null : Math.max(0, started - ready),
    runMs: attempt.finishedAt === null ? null : Math.max(0, Date.parse(attempt.finishedAt) - started),
  };
}

/** When an attempt could be claimed, where that can be told. */
function readyAt(
  job: TimelineJob,
  before: AttemptView | null,
  attempt: AttemptView,
  firstRunKnown: boolean,
): number | null {
  if (before === null) {
    if (attempt.number > 1 || !firstRunKnown) return null;
    return Math.max(Date.parse(job.createdAt), Date.parse(job.runAt));
  }
  if (before.retryDelayMs === null || before.finishedAt === null) return null;
  return Date.parse(before.finishedAt) + before.retryDelayMs;
}

function endOf(job: TimelineJob, latest: AttemptView | undefined, givenBack: boolean): Step[] {
  const { state, finishedAt } = job;
  if (state === "completed" || state === "dead" || state === "cancelled") {
    return [{ type: "end", state, at: finishedAt ?? job.runAt }];
  }
  if (state === "running") return [];
  const past: Step[] = givenBack ? [{ type: "given-back", startedAt: job.startedAt }] : [];
  const delay = givenBack ? null : (latest?.retryDelayMs ?? null);
  // What waits for its first run has said so already.
  if (state === "scheduled") {
    return givenBack || latest !== undefined ? [...past, { type: "next", at: job.runAt, ms: delay }] : past;
  }
  if (latest !== undefined && !givenBack) {
    past.push(
      delay === null
        ? { type: "revived", at: revivedDueAt(job, latest, null) }
        : { type: "backoff", ms: delay },
    );
  }
  return state === "pending" ? [...past, { type: "ready" }] : past;
}

function isBefore(instant: string, other: string | undefined): boolean {
  return other !== undefined && Date.parse(instant) <= Date.parse(other);
}

const FOLD_ABOVE = 50;
const SHOWN_FIRST = 5;
const SHOWN_LAST = 20;

export interface Folded {
  readonly before: readonly Step[];
  /** Attempts that are left out between the two. */
  readonly hidden: number;
  readonly after: readonly Step[];
}

/** Of a long history the first attempts and the last ones; the middle is mostly more of the same. */
export function fold(steps: readonly Step[]): Folded {
  const attempts = steps.flatMap((step, index) => (step.type === "attempt" ? [index] : []));
  const lastOfFirst = attempts[SHOWN_FIRST - 1];
  const firstOfLast = attempts.at(-SHOWN_LAST);
  if (attempts.length <= FOLD_ABOVE || lastOfFirst === undefined || firstOfLast === undefined) {
    return { before: steps, hidden: 0, after: [] };
  }
  return {
    before: steps.slice(0, lastOfFirst + 1),
    hidden: attempts.length - SHOWN_FIRST - SHOWN_LAST,
    after: steps.slice(firstOfLast),
  };
}
