import type { DurationPoint, OverviewView, STAT_METRICS, TimeseriesView } from "../../api/stats.js";
import { formatInstant } from "../../core/instant.js";
import { JOB_STATES, type JobState } from "../../core/states.js";
import { activityOf, type Activity } from "../../engine/statistics/activity.js";
import type { Overview } from "../../engine/statistics/overview.js";
import { percentile } from "../../engine/statistics/percentile.js";
import type { Timeline } from "../../engine/statistics/timeline.js";
import { STAT_EVENTS, type DurationKind, type Histogram, type StatEvent } from "../../store/stats.js";
import { instantOrNull } from "./job.js";
import { queueView } from "./queue.js";

const NOTHING = activityOf(
  Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as Record<StatEvent, number>,
);

export function overviewView({ now, since, queues }: Overview): OverviewView {
  const counts = Object.fromEntries(
    JOB_STATES.map((state) => [state, queues.reduce((sum, { queue }) => sum + queue.counts[state], 0)]),
  ) as Record<JobState, number>;
  const oldest = queues.map(({ queue }) => queue.oldestPendingAt).filter((at) => at !== null);
  return {
    at: formatInstant(now),
    since: formatInstant(since),
    all: {
      counts,
      oldestPendingAt: instantOrNull(oldest.length === 0 ? null : Math.min(...oldest)),
      lastHour: queues.reduce((sum, { recent }) => addedUp(sum, recent), NOTHING),
    },
    queues: queues.map(({ queue, recent }) => ({ ...queueView(queue), lastHour: recent })),
  };
}

function addedUp(a: Activity, b: Activity): Activity {
  return {
    enqueued: a.enqueued + b.enqueued,
    started: a.started + b.started,
    retried: a.retried + b.retried,
    attempts: eachAdded(a.attempts, b.attempts),
    jobs: eachAdded(a.jobs, b.jobs),
  };
}

function eachAdded<Counts extends Readonly<Record<string, number>>>(a: Counts, b: Counts): Counts {
  return Object.fromEntries(Object.entries(a).map(([key, n]) => [key, n + (b[key] ?? 0)])) as Counts;
}

export function timeseriesView(
  metric: (typeof STAT_METRICS)[number],
  { from, to, step, points }: Timeline,
): TimeseriesView {
  const span = { step, from: formatInstant(from), to: formatInstant(to) };
  if (metric === "activity") {
    return {
      ...span,
      points: points.map(({ at, figures }) => ({
        at: formatInstant(at),
        ...(figures === null ? NOTHING : activityOf(figures.events)),
      })),
    };
  }
  const kind: DurationKind = metric;
  return {
    ...span,
    points: points.map(({ at, figures }) =>
      durationPoint(formatInstant(at), figures?.durations[kind] ?? null),
    ),
  };
}

function durationPoint(at: string, histogram: Histogram | null): DurationPoint {
  if (histogram === null || histogram.count === 0) {
    return { at, count: 0, meanMs: null, p50Ms: null, p95Ms: null, p99Ms: null };
  }
  return {
    at,
    count: histogram.count,
    meanMs: histogram.sumMs / histogram.count,
    p50Ms: percentile(histogram, 0.5),
    p95Ms: percentile(histogram, 0.95),
    p99Ms: percentile(histogram, 0.99),
  };
}
