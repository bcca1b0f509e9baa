import type { OnFailure } from "./flow-request.js";
import type { Instant, Job } from "./job.js";
import type { JobState } from "./states.js";

/**
 * - `running`: some jobs have not ended
 * - `completed`: every job has completed
 * - `failed`: all have ended, and at least one is dead
 * - `cancelled`: all have ended, none is dead, and at least one is cancelled
 */
export const FLOW_STATES = ["running", "completed", "failed", "cancelled"] as const;
export type FlowState = (typeof FLOW_STATES)[number];

/** Jobs with dependencies between them. */
export interface Flow {
  /** Decimal text. */
  readonly id: string;
  readonly name: string;
  readonly state: FlowState;
  readonly createdAt: Instant;
  /** When the last job ended; `null` while one has not. */
  readonly finishedAt: Instant | null;
  readonly counts: FlowCounts;
}

/** Of the jobs that a flow has now. */
export interface FlowCounts {
  readonly jobs: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
}

/** A flow that was accepted. */
export interface CreatedFlow extends Flow {
  /** Whether the idempotency key was known and this is the flow that it belongs to. */
  readonly deduplicated: boolean;
}

export interface FlowDetail extends Flow {
  readonly states: Readonly<Record<JobState, number>>;
  /** Every job that has not ended is blocked: nothing goes on before somebody retries what they wait for. */
  readonly stuck: boolean;
}

/** One job that another one depends on, or that depends on it. */
export interface FlowLink {
  readonly id: string;
  readonly ref: string;
  readonly queue: string;
  readonly state: JobState;
  readonly onFailure: OnFailure;
  /** Whether the one no longer waits for the other. */
  readonly resolved: boolean;
}

/** A job within its flow. */
export interface FlowJob extends Job {
  readonly ref: string;
  /** The first of those that it depends on. */
  readonly dependsOn: readonly FlowLink[];
  /** How many those are in all. */
  readonly dependencies: number;
}

/** How a job ended that another one depends on. */
export interface DependencyResult extends FlowLink {
  /** JSON text; `null` unless it completed with one. */
  readonly result: string | null;
}

export function flowStateOf({ jobs, completed, dead, cancelled }: FlowCounts): FlowState {
  if (completed + dead + cancelled < jobs) return "running";
  if (dead > 0) return "failed";
  return cancelled > 0 ? "cancelled" : "completed";
}
