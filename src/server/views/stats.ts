import type {
  DurationPoint,
  NameTableView,
  OverviewView,
  QueueLinesView,
  STAT_METRICS,
  TimeseriesView,
} from "../../api/stats.js";
import { formatInstant } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import { JOB_STATES, type JobState } from "../../core/states.js";
import { activityOf, type Activity } from "../../engine/statistics/activity.js";
import type { NameTable } from "../../engine/statistics/name-table.js";
import type { Overview } from "../../engine/statistics/overview.js";
import { percentile } from "../../engine/statistics/percentile.js";
import type { QueueLines } from "../../engine/statistics/queue-lines.js";
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
  now: Instant,
): TimeseriesView {
  const span = { at: formatInstant(now), step, from: formatInstant(from), to: formatInstant(to) };
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
    ...percentilesOf(histogram),
  };
}

function percentilesOf(histogram: Histogram) {
  return {
    p50Ms: percentile(histogram, 0.5),
    p95Ms: percentile(histogram, 0.95),
    p99Ms: percentile(histogram, 0.99),
  };
}

export function queueLinesView({ from, to, step, lines, more }: QueueLines, now: Instant): QueueLinesView {
  return {
    at: formatInstant(now),
    step,
    from: formatInstant(from),
    to: formatInstant(to),
    items: lines.map((line) => ({
      ...line,
      enqueued: [...line.enqueued],
      completed: [...line.completed],
      dead: [...line.dead],
      failed: [...line.failed],
    })),
    more,
  };
}

export function nameTableView(
  { from, to, rows, more }: NameTable,
  queue: string | null,
  now: Instant,
): NameTableView {
  return {
    at: formatInstant(now),
    from: formatInstant(from),
    to: formatInstant(to),
    items: rows.map(({ name, started, succeeded, failed, dead, wait, run }) => ({
      name,
      queue,
      started,
      succeeded,
      failed,
      dead,
      wait: percentilesOf(wait),
      run: { ...percentilesOf(run), totalMs: run.sumMs },
    })),
    more,
  };
}
