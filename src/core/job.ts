import type { Backoff } from "./backoff.js";
import type { FlowPlace } from "./flow-place.js";
import type { JobKeys } from "./job-keys.js";
import type { JobState } from "./states.js";
import type { StoredError } from "./stored-error.js";
import type { CheckedUnique } from "./unique.js";

/** Milliseconds since the epoch, UTC. */
export type Instant = number;

/** The schedule that made a job, and for which of its slots. By hand, the slot is when that was. */
export interface Origin {
  readonly key: string;
  readonly slot: Instant;
}

/** One unit of work as the store knows it, without payload and result. */
export interface Job {
  /** Decimal text: ids may pass 2^53. */
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly state: JobState;
  /** 0 to 9, 9 is claimed first. */
  readonly priority: number;
  /** Attempts begun so far, over all budgets. */
  readonly attempt: number;
  /** The attempt number at which the job dies. A retry by hand moves it on. */
  readonly maxAttempts: number;
  readonly createdAt: Instant;
  /** When the job could first be claimed, or can be claimed next. */
  readonly runAt: Instant;
  /** Begin of the latest attempt. */
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  /** The worker of the latest attempt. */
  readonly workerId: string | null;
  /** The fencing token of the latest claim. */
  readonly token: number | null;
  /** Set while the job is running. */
  readonly leaseExpiresAt: Instant | null;
}

/** A job that was accepted. */
export interface Enqueued extends Job {
  /** Whether the idempotency key was known, or the unique key taken, and this is the job that has it. */
  readonly deduplicated: boolean;
}

/**
 * Why a job is cancelled.
 * - `by_hand`: somebody asked for it
 * - `expired`: it had not started by its `expiresAt`
 * - `queue_full`: it was the oldest one in a full queue, and made room for a new one
 * - `dependency`: another job of its flow, which it depends on, did not complete
 */
export const CANCELLATION_REASONS = ["by_hand", "expired", "queue_full", "dependency"] as const;
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];

export interface Cancellation {
  readonly reason: CancellationReason;
  /** The job that it was cancelled for, where there is one. */
  readonly about: string | null;
}

/** A job with the parts that are kept beside its hot row. */
export interface JobDetail extends Job, JobKeys {
  readonly timeoutMs: number | null;
  /** `null` means the default backoff. */
  readonly backoff: Backoff | null;
  readonly tags: readonly string[];
  readonly idempotencyKey: string | null;
  readonly unique: Pick<CheckedUnique, "scope" | "key"> | null;
  /** Not started by then, it is cancelled. `null`: never, or it has started and waits for another attempt. */
  readonly expiresAt: Instant | null;
  /** `null` while it is not cancelled. */
  readonly cancellation: Cancellation | null;
  readonly schedule: Origin | null;
  /** Which job of which flow it is. */
  readonly flow: FlowPlace | null;
  /** Where in a distributed trace the job was enqueued, as in the header of W3C Trace Context. */
  readonly traceparent: string | null;
  readonly payloadBytes: number;
  readonly resultBytes: number | null;
  /** Why a completed job has no result: the handler returned something that cannot be stored. */
  readonly resultProblem: string | null;
  readonly progress: Progress | null;
  /** Error of the latest attempt that failed. */
  readonly lastError: StoredError | null;
  /** Of the group of dead jobs that it is in, see `kindOfError`; `null` while it is not dead. */
  readonly fingerprint: string | null;
}

export interface Progress {
  /** 0 to 100. */
  readonly percent: number;
  readonly message: string | null;
  readonly at: Instant;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  readonly seq: number;
  readonly attempt: number;
  readonly at: Instant;
  readonly level: LogLevel;
  readonly message: string;
}

/** A step of a handler that is done: later attempts skip it. */
export interface JobStep {
  /** Place in the order in which the steps of the job were stored, from 1. */
  readonly seq: number;
  readonly name: string;
  /** The attempt that ran it. */
  readonly attempt: number;
  readonly at: Instant;
  /** `null` when it gave nothing. */
  readonly resultBytes: number | null;
}

/**
 * How an attempt ended. `lost`: its lease expired, the worker crashed or stalled.
 * Released and snoozed attempts are given back and leave no record.
 */
export type AttemptOutcome = "running" | "completed" | "failed" | "timed_out" | "lost" | "cancelled";

export interface Attempt {
  readonly number: number;
  readonly token: number;
  readonly workerId: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  readonly outcome: AttemptOutcome;
  readonly error: StoredError | null;
  /** Delay before the next attempt, where there was one. */
  readonly retryDelayMs: number | null;
}

/** A job as its worker receives it. */
export interface ClaimedJob {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly priority: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Failures so far in the present budget. */
  readonly failures: number;
  readonly createdAt: Instant;
  readonly runAt: Instant;
  readonly startedAt: Instant;
  /** The fencing token: larger than that of every earlier claim of any job. */
  readonly token: number;
  readonly leaseExpiresAt: Instant;
  /** JSON text exactly as it was stored. */
  readonly payload: string;
  readonly timeoutMs: number | null;
  readonly backoff: Backoff | null;
  /** The schedule that made the job. The slot, not the clock, says which day or hour it is about. */
  readonly schedule: Origin | null;
  /** Which job of which flow it is. */
  readonly flow: FlowPlace | null;
  /** Where in a distributed trace the job was enqueued, as in the headers of W3C Trace Context. */
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}
