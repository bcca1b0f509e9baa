import type { BulkAction } from "../core/bulk-action.js";
import type { Instant, Job } from "../core/job.js";
import type { JobQuery } from "../core/job-query/query.js";

export const OPERATION_STATES = ["running", "completed", "cancelled"] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** A change of many jobs, on its way or over. */
export interface Operation {
  readonly id: string;
  readonly action: BulkAction;
  readonly query: JobQuery;
  /** Only jobs of queues that match one of these; `null`: of all queues. */
  readonly queueGlobs: readonly string[] | null;
  /** Jobs changed in a second at the most. */
  readonly perSecond: number;
  readonly reason: string | null;
  readonly state: OperationState;
  /** Jobs that matched when it was previewed. */
  readonly matched: number;
  readonly changed: number;
  readonly createdAt: Instant;
  /** Id of the token that started it. */
  readonly createdBy: string;
  readonly finishedAt: Instant | null;
}

export interface NewOperation extends Pick<
  Operation,
  "action" | "query" | "queueGlobs" | "perSecond" | "reason" | "matched" | "createdBy"
> {
  /** Names the preview: the same one starts an operation only once. */
  readonly preview: Buffer;
  /** Jobs with larger ids are not meant: they came later. */
  readonly untilId: string;
}

/** What one step did. */
export interface OperationStep {
  readonly operation: Operation;
  /** The jobs that it changed, as they were after it, or before it when they were deleted. */
  readonly jobs: readonly Job[];
}

export interface OperationStore {
  /** The largest id that was ever given to a job. */
  lastJobId(): Promise<string>;
  /** @returns the operation, and whether it had been started before from the same preview */
  start(operation: NewOperation): Promise<{ readonly operation: Operation; readonly repeated: boolean }>;
  get(id: string): Promise<Operation | null>;
  /** Newest first, of those before `beforeId`. @param createdBy only those that this token started */
  list(limit: number, beforeId: string | null, createdBy: string | null): Promise<readonly Operation[]>;
  /** Those on their way, up to `limit`, the one whose next step is due first. */
  running(limit: number): Promise<readonly Operation[]>;
  /** Stops it where it is; one that is over stays as it is. @returns `null` when there is none */
  cancel(id: string): Promise<Operation | null>;
  /** Running operations whose next step is due, longest first. */
  due(limit: number): Promise<readonly string[]>;
  /** When the next step is due; `null` when nothing runs. */
  nextDue(): Promise<Instant | null>;
  /**
   * Changes the next jobs of an operation, in one transaction with its progress: whatever crashes, no job is
   * left out and none is changed twice. Any number of processes may try.
   *
   * @returns `null` when it is not due or not running any more
   */
  step(id: string): Promise<OperationStep | null>;
}
