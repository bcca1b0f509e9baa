import type { Instant } from "../core/job.js";

export const STAT_EVENTS = [
  "enqueued",
  "started",
  "completed",
  "failed",
  "retried",
  "dead",
  "cancelled",
  "lost",
  "released",
  "snoozed",
] as const;
export type StatEvent = (typeof STAT_EVENTS)[number];

/** Upper bounds of the histogram buckets in milliseconds; the last bucket has none. */
export const DURATION_BOUNDS_MS = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
] as const;

/** `wait`: from `runAt` to the start of an attempt. `run`: from its start to its end. */
export const DURATION_KINDS = ["wait", "run"] as const;
export type DurationKind = (typeof DURATION_KINDS)[number];

export interface StatFilter {
  /** Inclusive, taken down to the minute. */
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly queue?: string;
}

/** One minute of one queue and job name. */
export interface MinuteStat {
  readonly minute: Instant;
  readonly queue: string;
  readonly name: string;
  readonly events: Readonly<Record<StatEvent, number>>;
  readonly durations: Readonly<Record<DurationKind, Histogram>>;
}

export interface Histogram {
  readonly count: number;
  readonly sumMs: number;
  /** One count a bucket, not cumulative; one more than `DURATION_BOUNDS_MS` has entries. */
  readonly buckets: readonly number[];
}

export interface StatStore {
  minutes(filter: StatFilter): Promise<readonly MinuteStat[]>;
}
