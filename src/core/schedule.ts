import type { Backoff } from "./backoff.js";
import type { Instant } from "./job.js";
import type { JobState } from "./states.js";
import type { CheckedUnique } from "./unique.js";

/**
 * What happens with slots that passed while nobody fired them.
 * - `once`: the latest of them makes one job
 * - `skip`: none does, unless the latest is no more than a minute late
 * - `all`: each makes a job, the latest `maxMissed` of them
 */
export const MISSED_POLICIES = ["once", "skip", "all"] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/**
 * What happens with a slot while a job of the schedule has not ended.
 * - `allow`: it makes a job all the same
 * - `skip`: it makes none
 * - `queue`: one slot waits until that job has ended; further ones are skipped
 */
export const OVERLAP_POLICIES = ["allow", "skip", "queue"] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** What every slot makes a job of. */
export interface JobTemplate {
  readonly queue: string;
  readonly name: string;
  /** JSON text. */
  readonly payload: string;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff | null;
  readonly timeoutMs: number | null;
  readonly tags: readonly string[];
  readonly unique: CheckedUnique | null;
  /** Counted from when the job is made. */
  readonly expiresInMs: number | null;
  /** See `keysText`. */
  readonly keys: string | null;
}

/** When the slots are. Exactly one of `cron` and `everyMs` is set. */
export interface Timing {
  readonly cron: string | null;
  readonly everyMs: number | null;
  /** IANA name. */
  readonly timezone: string;
  /** No slot before it; with `everyMs` the slots are counted from it. */
  readonly startAt: Instant | null;
  /** No slot after it. */
  readonly endAt: Instant | null;
}

/** A schedule as it was asked for, with the defaults filled in. */
export interface ScheduleDefinition extends Timing {
  readonly job: JobTemplate;
  readonly missed: MissedPolicy;
  readonly maxMissed: number;
  readonly overlap: OverlapPolicy;
  /** Each job is made up to so many milliseconds after its slot, at random. */
  readonly jitterMs: number;
}

/** A point in time at which a schedule makes a job, and when it really does: with jitter that is later. */
export interface Slot {
  readonly slot: Instant;
  readonly at: Instant;
}

/** Who wrote the definition. What code declares is written again at its next start. */
export type ScheduleSource = "api" | "code";

export interface Schedule extends ScheduleDefinition {
  readonly key: string;
  readonly source: ScheduleSource;
  /** `null`: it has ended, or it cannot go on, see `problem`. Kept while paused, and found anew at resume. */
  readonly next: Slot | null;
  /** The latest slot that was fired or missed. */
  readonly lastSlot: Instant | null;
  /** With the overlap policy `queue`: the slot that waits. */
  readonly waitingSlot: Instant | null;
  readonly pausedAt: Instant | null;
  readonly pauseReason: string | null;
  /** Why it stopped, such as a time zone that this machine does not know. Mended by writing it again. */
  readonly problem: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** A larger one with every change by hand, not with its runs. No two schedules ever have the same. */
  readonly version: number;
  /** Jobs made, slots skipped because of an overlap, and how often slots passed with nobody to fire them. */
  readonly totals: { readonly enqueued: number; readonly skipped: number; readonly missed: number };
}

/**
 * - `enqueued`: made a job
 * - `waiting`: waits for the previous job to end
 * - `skipped`: the previous job had not ended, another job had the unique key, or the queue was full
 * - `missed`: the slots from `slot` to `through` passed with nobody to fire them
 */
export type ScheduleRunOutcome = "enqueued" | "waiting" | "skipped" | "missed";

/** One entry of a schedule's history. */
export interface ScheduleRun {
  /** Grows within one schedule. */
  readonly seq: number;
  readonly slot: Instant;
  /** The last of several slots; equal to `slot` when it is about one. */
  readonly through: Instant;
  /** Run by hand: `slot` is when. */
  readonly manual: boolean;
  readonly firedAt: Instant;
  readonly outcome: ScheduleRunOutcome;
  readonly jobId: string | null;
  /** State of the job now; `null` when there is none any more. */
  readonly jobState: JobState | null;
}
