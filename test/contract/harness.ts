import type { Fault } from "../../src/core/errors.js";
import { KonveierError } from "../../src/core/errors.js";
import type { ClaimedJob, Enqueued, Job, JobDetail } from "../../src/core/job.js";
import type { JobRequest } from "../../src/core/job-request.js";
import { claim, type AnyClaim } from "../../src/engine/claim.js";
import { completion } from "../../src/engine/complete.js";
import { createContext, type EngineContext } from "../../src/engine/context.js";
import { enqueue, enqueueMany } from "../../src/engine/enqueue.js";
import type { HoldScope } from "../../src/core/outcomes.js";
import type { QueueLimitsChange } from "../../src/core/queue-limits.js";
import { editQueue } from "../../src/engine/queues.js";
import type { Queue } from "../../src/store/queues.js";
import type { RetryWish } from "../../src/core/verdict.js";
import { failure } from "../../src/engine/fail.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { settle } from "../../src/engine/settle.js";
import type { Failure, Settled } from "../../src/store/claims.js";
import type { Store } from "../../src/store/store.js";
import { EventLog } from "../support/event-log.js";
import type { FakeClock } from "../support/fake-clock.js";
import type { OpenedStore } from "../support/store-factory.js";

/** The lease of claims in these tests, unless one says otherwise. */
export const LEASE_MS = 1_000;

export const BOOM = { type: "Error", message: "boom", stack: null } as const;

/** One store under test, with short words for what most tests do. */
export class Harness {
  readonly store: Store;
  readonly engine: EngineContext;
  readonly events: EventLog;

  constructor(
    private readonly opened: OpenedStore,
    readonly clock: FakeClock,
  ) {
    this.store = opened.store;
    // Takes nothing off: delays are the whole backoff.
    this.engine = createContext(this.store, { clock, random: () => 0 });
    this.events = new EventLog(this.engine.events);
  }

  /** The same database through a connection of its own, as in another process. */
  readonly another = (): Promise<Store> => this.opened.another();

  readonly enqueue = async (request: Partial<JobRequest> = {}): Promise<Job> => {
    const { deduplicated, ...job } = await this.enqueueKeyed(request);
    if (deduplicated) throw new Error(`Job ${job.id} was there before`);
    return job;
  };

  readonly enqueueMany = async (requests: readonly Partial<JobRequest>[]): Promise<readonly Job[]> => {
    const complete = requests.map((request) => ({ name: "work", ...request }));
    return enqueueMany(this.engine, complete);
  };

  /** With the answer whether the key was known. */
  readonly enqueueKeyed = (request: Partial<JobRequest>): Promise<Enqueued> =>
    enqueue(this.engine, { name: "work", ...request });

  readonly claim = async (request: Partial<AnyClaim> = {}): Promise<readonly ClaimedJob[]> =>
    (await claim(this.engine, claimRequest(request))) ?? [];

  /** Claims one job. */
  readonly claimOne = async (request: Partial<AnyClaim> = {}): Promise<ClaimedJob> => {
    const [job] = await this.claim({ ...request, max: 1 });
    if (job === undefined) throw new Error("There was no job to claim");
    return job;
  };

  /** Enqueues a job and claims it. */
  readonly running = async (
    request: Partial<JobRequest> = {},
    by: Partial<AnyClaim> = {},
  ): Promise<ClaimedJob> => {
    const { id } = await this.enqueue(request);
    const job = await this.claimOne(by);
    if (job.id !== id) throw new Error(`Claimed job ${job.id} instead of ${id}`);
    return job;
  };

  readonly complete = (job: ClaimedJob, result?: unknown): Promise<Settled> =>
    settle(this.engine, job, WORKER, completion(job, result));

  /** Fails the attempt as a worker does: the engine decides what follows. */
  readonly fail = (
    job: ClaimedJob,
    retry: RetryWish = "auto",
    failed: Failure = { outcome: "failed", error: BOOM },
  ): Promise<Settled> => settle(this.engine, job, WORKER, failure(this.engine, job, failed, retry));

  readonly release = (job: ClaimedJob): Promise<Settled> =>
    settle(this.engine, job, WORKER, { verb: "release", id: job.id, token: job.token });

  readonly snooze = (job: ClaimedJob, delayMs: number): Promise<Settled> =>
    settle(this.engine, job, WORKER, { verb: "snooze", id: job.id, token: job.token, delayMs });

  /** As a handler does that throws a `Hold`. */
  readonly hold = (job: ClaimedJob, delayMs: number, hold: HoldScope): Promise<Settled> =>
    settle(this.engine, job, WORKER, { verb: "snooze", id: job.id, token: job.token, delayMs, hold });

  readonly limit = (change: QueueLimitsChange, queue = "default"): Promise<Queue> =>
    editQueue(this.store, queue, change);

  readonly reap = (limit?: number): Promise<number> => reap(this.engine, limit);

  /** The job as it is now. */
  readonly job = async (id: string): Promise<JobDetail> => {
    const job = await this.store.jobs.detail(id);
    if (job === null) throw new Error(`There is no job ${id}`);
    return job;
  };

  readonly state = async (id: string): Promise<string> => (await this.store.jobs.get(id))?.state ?? "gone";
}

const WORKER = "worker-a";

export function claimRequest(request: Partial<AnyClaim> = {}): AnyClaim {
  return {
    workerId: WORKER,
    queues: ["default"],
    names: null,
    max: 1,
    leaseMs: LEASE_MS,
    ...request,
  };
}

/** The error code that a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  return (await rejection(call)).code;
}

/** The faults that a call is refused with, as "pointer code". */
export async function faultsOf(call: Promise<unknown>): Promise<string[]> {
  return (await rejection(call)).faults.map(({ pointer, code }: Fault) => `${pointer} ${code}`);
}

async function rejection(call: Promise<unknown>): Promise<KonveierError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof KonveierError) return error;
    throw error;
  }
  throw new Error("The call was not refused");
}
