import { RECORD_AGES } from "../support/record-ages.js";
import { eligible } from "../../src/core/bulk-action.js";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { Konveier } from "../../src/konveier.js";
import type { ClaimedJob } from "../../src/core/job.js";
import type { JobRequest, JobSettings } from "../../src/core/job-request.js";
import type { Unique } from "../../src/core/unique.js";
import { createContext, type EngineContext } from "../../src/engine/context.js";
import { extendFlow } from "../../src/engine/flows/make.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { fireDue, fireWaiting } from "../../src/engine/schedules/fire.js";
import type { Failure, Settlement } from "../../src/store/claims.js";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open.js";
import type { StepHook } from "../../src/store/sqlite/steps.js";
import type { ScheduleOptions } from "../../src/schedules.js";
import type { FakeClock } from "../support/fake-clock.js";

/** What the operations work on, and what the earlier ones of them learned. */
export interface World {
  readonly clock: FakeClock;
  readonly store: SqliteStore;
  readonly konveier: Konveier;
  readonly context: EngineContext;
  readonly memory: Memory;
}

/** What a client knows: the ids it was told, and the claims it was given. */
export interface Memory {
  readonly ids: ReadonlyMap<string, string>;
  /** By job id. */
  readonly claims: ReadonlyMap<string, ClaimedJob>;
  readonly latestClaim: readonly ClaimedJob[];
}

export interface Operation {
  readonly verb: string;
  /** Time that passes before it. */
  readonly afterMs?: number;
  /** Whether a client that got no answer can say the same again, and nothing is done twice. */
  readonly repeatable?: true;
  /** Several writes that share one transaction. */
  readonly shared?: true;
  /** Resolves with what the client knows afterwards. */
  readonly run: (world: World) => Promise<Memory | undefined>;
}

const RETRIES = { type: "fixed", delayMs: 1_000 } as const;
export const LEASE_MS = 30_000;
export const QUEUES = ["mail", "waiting", "stale", "unique", "flow", "limited"] as const;
export const NAMES = ["mail.send", "mail.digest"] as const;
const WORKER = "worker-1";
const HOUR_MS = 3_600_000;

/** Opens the database with time standing at the beginning, and everything about it decided in advance. */
export function openWorld(file: string, clock: FakeClock, onStep: StepHook, memory: Memory = NOTHING): World {
  const store = openSqliteStore(file, { clock, onStep });
  const random = () => 0.5;
  const context = createContext(store, { clock, random });
  return { clock, store, context, konveier: Konveier.withStore(store, { clock, random }), memory };
}

const NOTHING: Memory = { ids: new Map(), claims: new Map(), latestClaim: [] };

/** Runs an operation; resolves with the world after it. */
export async function perform(world: World, operation: Operation): Promise<World> {
  const learned = await operation.run(world);
  return { ...world, memory: learned ?? world.memory };
}

const LIMITS = { concurrency: 4, rateLimit: { max: 50, perMs: HOUR_MS } } as const;
const LIMITED = ["hold-queue", "hold-key", "in-turn"] as const;
const CLAIM_ID = "claim-1";
const KEYED = { queue: "mail", idempotencyKey: "order-1", tags: ["a", "b"], backoff: RETRIES } as const;

/** The jobs of "enqueue many", by what becomes of them. */
const BATCH: readonly (readonly [label: string, request: Partial<JobRequest>])[] = [
  ["plain", {}],
  ["retry", { tags: ["a"] }],
  ["retry-now", {}],
  ["dead", { idempotencyKey: "order-2" }],
  ["dead-too", { name: "mail.digest" }],
  ["snooze", { name: "mail.digest" }],
  ["release", {}],
  ["cancel-running", {}],
  ["delete-running", { idempotencyKey: "order-3", tags: ["b"] }],
  ["cancel-waiting", { queue: "waiting" }],
  ["delete-waiting", { queue: "waiting", idempotencyKey: "order-4", tags: ["b", "c"] }],
  ["waiting", { queue: "waiting" }],
  ["lost", { queue: "stale" }],
  ["lost-for-good", { queue: "stale", maxAttempts: 1 }],
];

/** Every way to change the database, each at least once, in an order in which each finds what it needs. */
export const OPERATIONS: readonly Operation[] = [
  {
    // From here on every state change is an event too: there is one exactly if there is the other.
    verb: "want events",
    repeatable: true,
    run: async ({ store }) => {
      await store.events.want();
      return undefined;
    },
  },
  {
    verb: "enqueue with a key and tags",
    repeatable: true,
    run: async ({ konveier, memory }) => {
      const { id } = await konveier.enqueue("mail.send", { to: "keyed" }, KEYED);
      return remember(memory, [["keyed", id]]);
    },
  },
  {
    verb: "enqueue many",
    run: async ({ konveier, memory }) => {
      const jobs = await konveier.enqueueMany(BATCH.map(([label, request]) => toRequest(label, request)));
      return remember(
        memory,
        jobs.map(({ id }, index) => [BATCH[index]?.[0] ?? "", id]),
      );
    },
  },
  {
    verb: "enqueue later",
    run: async ({ konveier, memory }) => {
      const { id } = await konveier.enqueue("mail.send", {}, { queue: "waiting", delayMs: 20_000 });
      return remember(memory, [["later", id]]);
    },
  },
  {
    verb: "enqueue a known key",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.enqueue("mail.send", { to: "keyed" }, KEYED);
      return undefined;
    },
  },
  { verb: "claim from one lane", afterMs: 10, run: claim("stale", 2) },
  { verb: "claim from two lanes", afterMs: 10, run: claim("mail", 20) },
  { verb: "claim under a name", afterMs: 10, run: claim("waiting", 1, CLAIM_ID) },
  {
    verb: "give back what was claimed under a name",
    afterMs: 10,
    repeatable: true,
    run: async ({ store, memory }) => {
      await store.claims.giveBack({ ...claimOf("waiting"), claimId: CLAIM_ID }, memory.latestClaim);
      return undefined;
    },
  },
  {
    verb: "report a worker",
    repeatable: true,
    run: async ({ store }) => {
      const { host, pid, concurrency } = { host: "here", pid: 1, concurrency: 20 };
      const state = "active" as const;
      const names = [...NAMES];
      await store.workers.seen({
        id: WORKER,
        claimant: null,
        host,
        pid,
        queues: QUEUES,
        names,
        concurrency,
        running: 9,
        state,
      });
      return undefined;
    },
  },
  {
    verb: "extend a lease",
    afterMs: 1_000,
    repeatable: true,
    run: async ({ store, memory }) => {
      await store.claims.extend([held(memory, "keyed")], LEASE_MS);
      return undefined;
    },
  },
  {
    verb: "tell progress",
    repeatable: true,
    run: async ({ store, memory }) => {
      await store.claims.progress(held(memory, "keyed"), 50, "half");
      return undefined;
    },
  },
  {
    verb: "log",
    run: async ({ store, memory }) => {
      const lines = [
        { level: "info", message: "one" },
        { level: "warn", message: "two" },
      ] as const;
      await store.claims.log(held(memory, "keyed"), lines, 1);
      return undefined;
    },
  },
  {
    verb: "store a step",
    repeatable: true,
    run: async ({ store, memory }) => {
      await store.steps.store(held(memory, "keyed"), "charge", '{"amount":7}');
      return undefined;
    },
  },
  settle("complete with a result", ["keyed"], {
    verb: "complete",
    result: '{"sent":true}',
    resultProblem: null,
  }),
  settle("complete without a result", ["plain"], { verb: "complete", result: null, resultProblem: null }),
  settle("fail and retry later", ["retry"], { verb: "retry", delayMs: 1_000, failure: failed("later") }),
  settle("fail and retry now", ["retry-now"], { verb: "retry", delayMs: 0, failure: failed("now") }),
  settle("fail to dead", ["dead", "dead-too"], { verb: "bury", failure: failed("for good") }),
  settle("snooze", ["snooze"], { verb: "snooze", delayMs: 2_000 }),
  settle("release", ["release"], { verb: "release" }),
  changeByHand("cancel a running job", "cancel-running", ({ konveier }, id) => konveier.jobs.cancel(id)),
  changeByHand("cancel a waiting job", "cancel-waiting", ({ konveier }, id) => konveier.jobs.cancel(id)),
  {
    verb: "promote",
    afterMs: 5_000,
    repeatable: true,
    run: async ({ store }) => {
      await store.claims.promote(100);
      return undefined;
    },
  },
  changeByHand("run now", "later", ({ konveier }, id) => konveier.jobs.runNow(id)),
  changeByHand("retry by hand", "dead", ({ konveier }, id) => konveier.jobs.retry(id)),
  {
    verb: "retry many by hand",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.jobs.retryMany({ queue: "mail" });
      return undefined;
    },
  },
  {
    verb: "delete a waiting job",
    run: async ({ konveier, memory }) => {
      await konveier.jobs.delete(idOf(memory, "delete-waiting"));
      return undefined;
    },
  },
  {
    verb: "delete a running job",
    run: async ({ konveier, memory }) => {
      await konveier.jobs.delete(idOf(memory, "delete-running"), { force: true });
      return undefined;
    },
  },
  {
    verb: "reap: one to retry, one to dead",
    afterMs: LEASE_MS,
    repeatable: true,
    run: async ({ context }) => {
      await reap(context);
      return undefined;
    },
  },
  {
    verb: "delete a dead job",
    run: async ({ konveier, memory }) => {
      await konveier.jobs.delete(idOf(memory, "lost-for-good"));
      return undefined;
    },
  },
  {
    verb: "pause a queue",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.queues.pause("waiting", "maintenance");
      return undefined;
    },
  },
  {
    verb: "resume a queue",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.queues.resume("waiting");
      return undefined;
    },
  },
  {
    verb: "start a bulk operation",
    repeatable: true,
    run: async ({ store }) => {
      await store.operations.start({
        action: "cancel",
        query: eligible("cancel", parseJobQuery("queue:waiting")),
        queueGlobs: null,
        perSecond: 10,
        reason: "why",
        matched: 1,
        createdBy: "root",
        preview: Buffer.from("preview"),
        untilId: await store.operations.lastJobId(),
      });
      return undefined;
    },
  },
  {
    verb: "take a step of a bulk operation",
    repeatable: true,
    run: async ({ store }) => {
      await store.operations.step("1");
      return undefined;
    },
  },
  {
    verb: "prune jobs",
    afterMs: 60_000,
    repeatable: true,
    run: async ({ store }) => {
      const forever = { cancelledMs: null, deadMs: null, maxCompleted: null };
      await store.maintenance.prune({ ...forever, completedMs: 30_000 }, 100);
      return undefined;
    },
  },
  {
    verb: "prune records",
    repeatable: true,
    run: async ({ store }) => {
      await store.maintenance.pruneRecords({
        ...RECORD_AGES,
        minutes: 60_000,
        hours: 60_000,
        workers: 3_600_000,
      });
      return undefined;
    },
  },
  {
    verb: "prune events",
    repeatable: true,
    run: async ({ store }) => {
      await store.events.prune(600_000, 5, 100);
      return undefined;
    },
  },
  { verb: "claim again", run: claim("mail", 3) },
  {
    verb: "enqueue, complete, fail and cancel at once",
    shared: true,
    repeatable: true,
    run: async ({ konveier, store, memory }) => {
      const [first, second] = memory.latestClaim;
      if (first === undefined || second === undefined) throw new Error("The last claim got too few jobs");
      const [enqueued] = await Promise.all([
        konveier.enqueue("mail.send", {}, { queue: "mail", idempotencyKey: "at-once", tags: ["a"] }),
        store.claims.settle([toSettlement(first, { verb: "complete", result: "1", resultProblem: null })]),
        store.claims.settle([
          toSettlement(second, { verb: "retry", delayMs: 500, failure: failed("again") }),
        ]),
        konveier.jobs.cancel(idOf(memory, "waiting")),
      ]);
      return remember(memory, [["at-once", enqueued.id]]);
    },
  },
  {
    verb: "sign a worker off",
    repeatable: true,
    run: async ({ store }) => {
      await store.workers.gone(WORKER);
      return undefined;
    },
  },

  putSchedule("write a schedule", "hourly", { everyMs: HOUR_MS }),
  fire("fire a due slot", "hourly", HOUR_MS),
  changeSchedule("pause a schedule", ({ schedules }) => schedules.pause("hourly", "maintenance")),
  putSchedule("write a schedule that makes up for missed slots", "all", {
    everyMs: HOUR_MS / 6,
    missed: "all",
    maxMissed: 3,
  }),
  fire("fire with missed slots", "all", HOUR_MS),
  putSchedule("write a schedule anew", "all", { everyMs: HOUR_MS, missed: "skip" }),
  fire("fire nothing but missed slots", "all", 2 * HOUR_MS + HOUR_MS / 2),
  changeSchedule("delete a schedule", ({ schedules }) => schedules.delete("all")),
  putSchedule("write a schedule of one job at a time", "queue", { everyMs: HOUR_MS, overlap: "queue" }),
  fire("fire a slot of a schedule of one job at a time", "queue", HOUR_MS),
  fire("fire a slot that must wait", "queue", HOUR_MS),
  fire("fire a slot that is skipped", "queue", HOUR_MS),
  changeByHand("cancel the job that a slot waits for", "queue", ({ konveier }, id) =>
    konveier.jobs.cancel(id),
  ),
  {
    verb: "fire a waiting slot",
    afterMs: 10,
    repeatable: true,
    run: async ({ context }) => {
      await fireWaiting(context);
      return undefined;
    },
  },
  {
    verb: "run a schedule by hand",
    run: async ({ konveier }) => {
      await konveier.schedules.run("hourly");
      return undefined;
    },
  },
  changeSchedule("resume a schedule", ({ schedules }) => schedules.resume("hourly")),
  enqueueUnique("enqueue a unique job", { onConflict: "existing" }, { tags: ["a"], expiresInMs: 50_000 }),
  enqueueUnique("replace a unique job", { onConflict: "replace" }, { tags: ["b"], payload: { to: "new" } }),
  enqueueUnique("reschedule a unique job", { onConflict: "reschedule" }, { delayMs: 5 }),
  {
    verb: "limit a queue",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.queues.limit("unique", { maxLength: 2, onFull: "drop-oldest" });
      return undefined;
    },
  },
  {
    verb: "enqueue until a queue is full",
    run: async ({ konveier }) => {
      await konveier.enqueue("mail.send", {}, { queue: "unique", expiresInMs: 30 });
      return undefined;
    },
  },
  {
    verb: "enqueue into a full queue",
    run: async ({ konveier, memory }) => {
      const { id } = await konveier.enqueue("mail.send", {}, { queue: "unique", expiresInMs: 30 });
      return remember(memory, [["newest", id]]);
    },
  },
  { verb: "claim what has expired", afterMs: 40, repeatable: true, run: claim("unique", 1) },
  {
    verb: "enqueue what has expired",
    afterMs: 60_000,
    repeatable: true,
    run: async ({ konveier }) => {
      const late = { unique: { key: "late" }, expiresAt: "2000-01-01T00:00:00.000Z" };
      // What has expired has no unique key any more.
      await konveier.enqueue("mail.send", {}, { queue: "unique", idempotencyKey: "late", ...late });
      return undefined;
    },
  },
  {
    verb: "cancel what has expired",
    repeatable: true,
    run: async ({ store }) => {
      await store.expiry.cancelDue(10);
      return undefined;
    },
  },

  {
    verb: "make a flow",
    repeatable: true,
    run: async ({ konveier, memory }) => {
      const flow = await konveier.flows.create({ name: "order", jobs: FLOW, idempotencyKey: "flow-1" });
      const page = await konveier.flows.jobs(flow.id);
      return remember(memory, [
        ["flow", flow.id],
        ...(page?.items ?? []).map(({ ref, id }) => [ref, id] as const),
      ]);
    },
  },
  { verb: "claim what a flow begins with", run: claim("flow", 2) },
  {
    verb: "add to a flow",
    repeatable: true,
    run: async ({ context, memory }) => {
      await extendFlow(context, held(memory, "begin"), [
        { ref: "added", name: "mail.send", queue: "flow", dependsOn: ["other"] },
        { ref: "more", name: "mail.send", queue: "flow" },
      ]);
      return undefined;
    },
  },
  settle("wait for a job of the flow", ["begin"], { verb: "wait", refs: ["more"] }),
  settle("end a job that others are cancelled by", ["other"], { verb: "bury", failure: failed("for good") }),
  { verb: "claim what a job waits for", run: claim("flow", 1) },
  {
    verb: "end what a job waits for",
    repeatable: true,
    run: async ({ store, memory }) => {
      const done = { verb: "complete", result: "1", resultProblem: null } as const;
      await store.claims.settle(memory.latestClaim.map((job) => toSettlement(job, done)));
      return undefined;
    },
  },
  {
    verb: "start what failed in a flow over",
    repeatable: true,
    run: async ({ konveier, memory }) => {
      await konveier.flows.retry(idOf(memory, "flow"));
      return undefined;
    },
  },
  {
    verb: "delete a job of a flow",
    run: async ({ konveier, memory }) => {
      await konveier.jobs.delete(idOf(memory, "other"));
      return undefined;
    },
  },
  {
    verb: "cancel a flow",
    repeatable: true,
    run: async ({ konveier, memory }) => {
      await konveier.flows.cancel(idOf(memory, "flow"));
      return undefined;
    },
  },
  {
    verb: "make a flow of one job",
    run: async ({ konveier, memory }) => {
      const jobs = [{ ref: "only", name: "mail.send", queue: "flow" }];
      const { id } = await konveier.flows.create({ name: "short", jobs });
      const page = await konveier.flows.jobs(id);
      return remember(memory, [["only", page?.items[0]?.id ?? ""]]);
    },
  },
  {
    verb: "delete the last job of a flow",
    run: async ({ konveier, memory }) => {
      await konveier.jobs.delete(idOf(memory, "only"));
      return undefined;
    },
  },

  {
    verb: "limit a queue",
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.queues.limit("limited", { ...LIMITS, perKey: LIMITS, ageingMs: HOUR_MS });
      return undefined;
    },
  },
  {
    verb: "enqueue with keys",
    run: async ({ konveier, memory }) => {
      const jobs = await konveier.enqueueMany(
        LIMITED.map((label) => ({
          ...toRequest(label, { queue: "limited" }),
          concurrencyKey: label,
          rateKey: label,
        })),
      );
      return remember(
        memory,
        jobs.map(({ id }, index) => [LIMITED[index] ?? "", id]),
      );
    },
  },
  { verb: "claim within limits", afterMs: 10, run: claim("limited", 20) },
  settle("hold a queue", ["hold-queue"], { verb: "snooze", delayMs: 1_000, hold: "queue" }),
  settle("hold a key", ["hold-key"], { verb: "snooze", delayMs: 1_000, hold: "key" }),
];

const FLOW = [
  { ref: "begin", name: "mail.send", queue: "flow", maxAttempts: 3 },
  { ref: "other", name: "mail.send", queue: "flow", maxAttempts: 3 },
  { ref: "then", name: "mail.send", queue: "flow", dependsOn: ["begin", "other"] },
  { ref: "last", name: "mail.digest", queue: "flow", dependsOn: ["then"], onDependencyFailure: "run" },
] as const;

function putSchedule(verb: string, key: string, timing: Omit<ScheduleOptions, "job">): Operation {
  return {
    verb,
    repeatable: true,
    run: async ({ konveier }) => {
      const settings = { queue: "waiting", tags: ["a"] };
      await konveier.schedules.put(key, { job: "mail.send", payload: { to: key }, settings, ...timing });
      return undefined;
    },
  };
}

function enqueueUnique(
  verb: string,
  unique: Omit<Unique, "key">,
  settings: JobSettings & { payload?: unknown },
): Operation {
  const { payload = {}, ...rest } = settings;
  return {
    verb,
    repeatable: true,
    run: async ({ konveier }) => {
      await konveier.enqueue("mail.send", payload, {
        queue: "unique",
        unique: { key: "u", ...unique },
        ...rest,
      });
      return undefined;
    },
  };
}

/** Fires what is due after a while, and remembers the latest job of the schedule by its key. */
function fire(verb: string, key: string, afterMs: number): Operation {
  return {
    verb,
    afterMs,
    repeatable: true,
    run: async ({ context, konveier, memory }) => {
      await fireDue(context);
      const runs = await konveier.schedules.runs(key);
      const latest = runs.find(({ jobId }) => jobId !== null)?.jobId ?? null;
      return latest === null ? undefined : remember(memory, [[key, latest]]);
    },
  };
}

function changeSchedule(verb: string, change: (konveier: Konveier) => Promise<unknown>): Operation {
  return {
    verb,
    run: async ({ konveier }) => {
      await change(konveier);
      return undefined;
    },
  };
}

function toRequest(label: string, request: Partial<JobRequest>): JobRequest {
  return { name: "mail.send", queue: "mail", payload: { to: label }, backoff: RETRIES, ...request };
}

function claimOf(queue: string) {
  return { workerId: WORKER, queues: [queue], names: [...NAMES] };
}

function claim(queue: string, max: number, claimId?: string): Operation["run"] {
  return async ({ store, memory }) => {
    const request = { ...claimOf(queue), max, leaseMs: LEASE_MS };
    const claimed = await (claimId === undefined
      ? store.claims.claim(request)
      : store.claims.claimAs({ ...request, claimId }));
    if (claimed === null) throw new Error(`The jobs of ${String(claimId)} have ended`);
    const claims = new Map([...memory.claims, ...claimed.map((job) => [job.id, job] as const)]);
    return { ...memory, claims, latestClaim: claimed };
  };
}

type Ending = Settlement extends infer Each
  ? Each extends Settlement
    ? Omit<Each, "id" | "token">
    : never
  : never;

function settle(verb: string, labels: readonly string[], ending: Ending): Operation {
  return {
    verb,
    afterMs: 10,
    repeatable: true,
    run: async ({ store, memory }) => {
      const settlements = labels.map((label) => toSettlement(held(memory, label), ending));
      for (const settled of await store.claims.settle(settlements)) {
        if (!settled.ok) throw new Error(`A claim of ${labels.join()} is lost: ${settled.reason}`);
      }
      return undefined;
    },
  };
}

function toSettlement({ id, token }: ClaimedJob, ending: Ending): Settlement {
  return { id, token, ...ending };
}

function changeByHand(
  verb: string,
  label: string,
  change: (world: World, id: string) => Promise<unknown>,
): Operation {
  return {
    verb,
    repeatable: true,
    run: async (world) => {
      await change(world, idOf(world.memory, label));
      return undefined;
    },
  };
}

function failed(message: string): Failure {
  return { outcome: "failed", error: { type: "Error", message, stack: null } };
}

function remember(memory: Memory, ids: readonly (readonly [label: string, id: string])[]): Memory {
  return { ...memory, ids: new Map([...memory.ids, ...ids]) };
}

function idOf({ ids }: Memory, label: string): string {
  const id = ids.get(label);
  if (id === undefined) throw new Error(`No job was enqueued as "${label}"`);
  return id;
}

function held(memory: Memory, label: string): ClaimedJob {
  const claimed = memory.claims.get(idOf(memory, label));
  if (claimed === undefined) throw new Error(`Job "${label}" was not claimed`);
  return claimed;
}
