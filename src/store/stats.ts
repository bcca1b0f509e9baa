import type { Instant } from "../core/job.js";

/** `failed` counts every attempt that failed, those of `timed_out` and `lost` among them. */
export const STAT_EVENTS = [
  "enqueued",
  "started",
  "completed",
  "failed",
  "timed_out",
  "retried",
  "dead",
  "cancelled",
  /** An attempt that ended because its running job was cancelled or deleted. */
  "aborted",
  "lost",
  "released",
  "snoozed",
] as const;
export type StatEvent = (typeof STAT_EVENTS)[number];

/** Upper bounds of the histogram buckets in milliseconds; the last bucket has none. */
export const DURATION_BOUNDS_MS = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
] as const;

/**
 * - `wait`: from `runAt` to the start of an attempt, first ones and retries alike
 * - `run`: from the start of an attempt to its end, when it succeeded or failed
 * - `lag`: from when a schedule's slot was due to when its job was made
 */
export const DURATION_KINDS = ["wait", "run", "lag"] as const;
export type DurationKind = (typeof DURATION_KINDS)[number];

export interface Histogram {
  readonly count: number;
  readonly sumMs: number;
  /** One count a bucket, not cumulative; one more than `DURATION_BOUNDS_MS` has entries. */
  readonly buckets: readonly number[];
}

/** What happened to jobs. */
export interface Figures {
  readonly events: Readonly<Record<StatEvent, number>>;
  readonly durations: Readonly<Record<DurationKind, Histogram>>;
}

/** In the lifetime of one queue and job name. */
export interface LaneTotal extends Figures {
  readonly queue: string;
  readonly name: string;
}

/** Minutes are kept for a month, hours for two years. */
export type StatStep = "minute" | "hour";
export const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const satisfies Record<StatStep, number>;

export interface SeriesFilter {
  /** Inclusive, taken down to the step. */
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly step: StatStep;
  /** Width of a point, a multiple of the step; points begin at multiples of it since 1970. Default: the step. */
  readonly widthMs?: number;
  readonly queue?: string;
  readonly name?: string;
  /** Only these are read, the others are 0. Default: all. */
  readonly events?: readonly StatEvent[];
  /** Only these are read, the others are empty. Default: all. */
  readonly kinds?: readonly DurationKind[];
}

/** What is told apart: every queue and name, every queue, every name whatever its queue, or nothing. */
export type StatDetail = "lanes" | "queues" | "names" | "all";

export interface SeriesPoint extends Figures {
  /** Begin of its span. */
  readonly at: Instant;
  /** `null` where all queues are added up. */
  readonly queue: string | null;
  /** `null` where all names are added up. */
  readonly name: string | null;
}

export interface ScheduleTotal {
  readonly key: string;
  /** When the next slot fires; `null` when none will, or while the schedule is paused. */
  readonly nextAt: Instant | null;
  readonly enqueued: number;
  readonly skipped: number;
  /** Entries of the history; one may stand for many slots. */
  readonly missed: number;
}

export interface StorageSize {
  readonly file: "db" | "wal" | "freelist";
  readonly bytes: number;
}

/** What keeps a database server from tidying up behind the queue. */
export interface Upkeep {
  /** Versions of rows that nobody needs any more, and that are still there. An estimate. */
  readonly deadRows: number;
  /** Age of the oldest transaction that is open in the database and that this user may see; 0 when there is none. */
  readonly oldestTransactionMs: number;
}

/** The file system that holds the data. */
export interface DiskSpace {
  /** For this process; what is reserved for the administrator does not count. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface StatStore {
  /** Lifetime totals. They never fall, whatever is pruned or deleted. */
  totals(): Promise<readonly LaneTotal[]>;
  /** Points in which something happened, by time. */
  series(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]>;
  /** By key. */
  schedules(): Promise<readonly ScheduleTotal[]>;
  /** What the data takes on disk. */
  storage(): Promise<readonly StorageSize[]>;
  /** `null` where nothing of the kind is needed. */
  upkeep(): Promise<Upkeep | null>;
  /** `null` when it is not known: the data is in memory or on another machine. */
  disk(): Promise<DiskSpace | null>;
}
