import { Type, type Static } from "typebox";
import { STAT_STEP_NAMES } from "../core/stat-steps.js";
import { CLOSED, Instant, InstantInput, Name, Nullable } from "./fields.js";
import { QueueView } from "./queue.js";

const Count = Type.Integer();

const activityFields = {
  enqueued: Count,
  started: Count,
  retried: Count,
  /** Attempts that ended, each in one place: `failed` are those whose handler threw. */
  attempts: Type.Object({
    succeeded: Count,
    failed: Count,
    timedOut: Count,
    lost: Count,
    released: Count,
    snoozed: Count,
    /** The running job was cancelled or deleted. */
    cancelled: Count,
  }),
  /** Jobs that came to a final state. */
  jobs: Type.Object({ completed: Count, dead: Count, cancelled: Count }),
};

const ActivityView = Type.Object(activityFields);
export type ActivityView = Static<typeof ActivityView>;

export const OverviewView = Type.Object({
  at: Instant,
  /** Since when `lastHour` counts: an hour before `at`, taken down to the minute. */
  since: Instant,
  all: Type.Object({
    counts: QueueView.properties.counts,
    oldestPendingAt: Nullable.Instant,
    lastHour: ActivityView,
  }),
  queues: Type.Array(Type.Object({ ...QueueView.properties, lastHour: ActivityView })),
});
export type OverviewView = Static<typeof OverviewView>;

export const STAT_METRICS = ["activity", "wait", "run", "lag"] as const;

export const TimeseriesQuery = Type.Object(
  {
    metric: Type.Enum([...STAT_METRICS]),
    queue: Type.Optional(Name),
    name: Type.Optional(Name),
    /** Default: an hour before `to`. */
    from: Type.Optional(InstantInput),
    /** Default: now. */
    to: Type.Optional(InstantInput),
    /** Default: the finest that gives 500 points at the most. */
    step: Type.Optional(Type.Enum([...STAT_STEP_NAMES])),
  },
  CLOSED,
);
export type TimeseriesQuery = Static<typeof TimeseriesQuery>;

const MillisecondsOrNull = Type.Union([Type.Number(), Type.Null()]);

const DurationPoint = Type.Object({
  at: Instant,
  count: Count,
  meanMs: MillisecondsOrNull,
  /** Percentiles are estimated from a histogram, see `docs/metrics.md`. */
  p50Ms: MillisecondsOrNull,
  p95Ms: MillisecondsOrNull,
  p99Ms: MillisecondsOrNull,
});
export type DurationPoint = Static<typeof DurationPoint>;

const ActivityPoint = Type.Object({ at: Instant, ...activityFields });

const spanFields = {
  /** When it was read. A step that ends later is not over: what happens in it is still to come. */
  at: Instant,
  step: Type.Enum([...STAT_STEP_NAMES]),
  from: Instant,
  /** Exclusive. */
  to: Instant,
};

export const ActivitySeriesView = Type.Object({ ...spanFields, points: Type.Array(ActivityPoint) });
export const DurationSeriesView = Type.Object({ ...spanFields, points: Type.Array(DurationPoint) });
export const TimeseriesView = Type.Union([ActivitySeriesView, DurationSeriesView]);
export type TimeseriesView = Static<typeof TimeseriesView>;

export const QueueLinesQuery = Type.Object(
  {
    /** Default: an hour before the end of the minute of `to`. */
    from: Type.Optional(InstantInput),
    /** Default: now. */
    to: Type.Optional(InstantInput),
    /** Default: the finest that gives 60 points at the most. */
    step: Type.Optional(Type.Enum([...STAT_STEP_NAMES])),
  },
  CLOSED,
);
export type QueueLinesQuery = Static<typeof QueueLinesQuery>;

const Counts = Type.Array(Count);

export const QueueLinesView = Type.Object({
  ...spanFields,
  /** Queues in which something happened, the busiest first; 200 at the most. Counts are by step. */
  items: Type.Array(
    Type.Object({
      queue: Type.String(),
      enqueued: Counts,
      completed: Counts,
      dead: Counts,
      /** Attempts that failed, timed out or were lost. */
      failed: Counts,
      waitP95Ms: MillisecondsOrNull,
      runP95Ms: MillisecondsOrNull,
    }),
  ),
  /** Whether queues were left out. */
  more: Type.Boolean(),
});
export type QueueLinesView = Static<typeof QueueLinesView>;

export const NameTableQuery = Type.Object(
  {
    /** Default: all, added up. */
    queue: Type.Optional(Name),
    /** Default: an hour before `to`. */
    from: Type.Optional(InstantInput),
    /** Default: now. */
    to: Type.Optional(InstantInput),
  },
  CLOSED,
);
export type NameTableQuery = Static<typeof NameTableQuery>;

const percentileFields = { p50Ms: MillisecondsOrNull, p95Ms: MillisecondsOrNull, p99Ms: MillisecondsOrNull };

export const NameTableView = Type.Object({
  at: Instant,
  from: Instant,
  /** Exclusive. */
  to: Instant,
  /** Names with the most attempts first; 200 at the most. */
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      /** `null`: all queues, added up. */
      queue: Nullable.Text,
      started: Count,
      succeeded: Count,
      /** Attempts that failed, timed out or were lost. */
      failed: Count,
      /** Jobs that became dead. */
      dead: Count,
      wait: Type.Object(percentileFields),
      run: Type.Object({ ...percentileFields, totalMs: Count }),
    }),
  ),
  /** Whether names were left out. */
  more: Type.Boolean(),
});
export type NameTableView = Static<typeof NameTableView>;
