import type { Instant, Job } from "../core/job.js";
import type { QueueEdit, QueueLimits } from "../core/queue-limits.js";
import type { HeldBack } from "../core/held-back.js";
import type { JobState } from "../core/states.js";

export interface Queue extends QueueLimits {
  readonly name: string;
  readonly pausedAt: Instant | null;
  readonly pauseReason: string | null;
  readonly counts: Readonly<Record<JobState, number>>;
  /** `runAt` of the job that has been claimable longest. */
  readonly oldestPendingAt: Instant | null;
  /** No job is started until then: a handler asked for it. */
  readonly heldUntil: Instant | null;
  /** Grows with each edit; 0 for a queue that was never edited. */
  readonly version: number;
}

/** What an edit was based on; `null`, the default: whatever is there. An edit of another version answers `null`. */
export type ExpectedVersion = number | null;

export interface QueueStore {
  /** By name. A queue exists as soon as a job or a pause named it. */
  list(): Promise<readonly Queue[]>;
  get(name: string): Promise<Queue | null>;
  /** No job of the queue is claimed until `resume`; running ones go on. May name a queue that is still to come. */
  pause(name: string, reason: string | null, version?: ExpectedVersion): Promise<Queue | null>;
  resume(name: string, version?: ExpectedVersion): Promise<Queue | null>;
  /** All of it at once. Limits hold for claims from then on. May name a queue that is still to come. */
  edit(name: string, edit: QueueEdit, version?: ExpectedVersion): Promise<Queue | null>;
  /** The limit that keeps the pending job from being claimed; `null`: none does. */
  heldBack(id: string): Promise<HeldBack | null>;
  /** Pending jobs of the same queue and name that are claimed before this one, counted to `cap`. With keys: of the same keys. */
  ahead(job: Pick<Job, "id" | "queue" | "name" | "priority" | "runAt">, cap: number): Promise<number>;
  /** Pending jobs by queue and job name, where there are any. */
  pendingNames(): Promise<readonly { queue: string; name: string; pending: number }[]>;
}
