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
  step: Type.Enum([...STAT_STEP_NAMES]),
  from: Instant,
  /** Exclusive. */
  to: Instant,
};

export const ActivitySeriesView = Type.Object({ ...spanFields, points: Type.Array(ActivityPoint) });
export const DurationSeriesView = Type.Object({ ...spanFields, points: Type.Array(DurationPoint) });
export const TimeseriesView = Type.Union([ActivitySeriesView, DurationSeriesView]);
export type TimeseriesView = Static<typeof TimeseriesView>;
