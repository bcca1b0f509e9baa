import type { Instant, Job } from "../core/job.js";
import type { QueueLimits } from "../core/queue-limits.js";
import type { JobState } from "../core/states.js";

/** What an edit changes; what is left out stays. */
export interface QueueEdit extends Partial<QueueLimits> {
  readonly paused?: boolean;
  /** Of a queue that is being paused. */
  readonly pauseReason?: string | null;
}

export interface Queue extends QueueLimits {
  readonly name: string;
  readonly pausedAt: Instant | null;
  readonly pauseReason: string | null;
  readonly counts: Readonly<Record<JobState, number>>;
  /** `runAt` of the job that has been claimable longest. */
  readonly oldestPendingAt: Instant | null;
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
  /** All of it at once. May name a queue that is still to come. */
  edit(name: string, edit: QueueEdit, version?: ExpectedVersion): Promise<Queue | null>;
  /** Pending jobs of the same queue and name that are claimed before this one, counted to `cap`. */
  ahead(job: Pick<Job, "id" | "queue" | "name" | "priority" | "runAt">, cap: number): Promise<number>;
  /** Pending jobs by queue and job name, where there are any. */
  pendingNames(): Promise<readonly { queue: string; name: string; pending: number }[]>;
}
