import {
  DURATION_KINDS,
  STAT_EVENTS,
  type DurationKind,
  type Figures,
  type Histogram,
  type SeriesPoint,
  type StatEvent,
} from "../../store/stats.js";

/** What happened in a span. */
export interface Sum extends Figures {
  /** `null` where all queues are added up. */
  readonly queue: string | null;
  /** `null` where all names are added up. */
  readonly name: string | null;
}

/** Points of the same queue and name, whenever they are, as one. */
export function sumsOf(points: readonly SeriesPoint[]): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const { queue, name, events, durations } of points) {
    const key = JSON.stringify([queue, name]);
    const before = sums.get(key);
    sums.set(key, {
      queue,
      name,
      events: before === undefined ? events : addedEvents(before.events, events),
      durations: before === undefined ? durations : addedDurations(before.durations, durations),
    });
  }
  return [...sums.values()];
}

function addedEvents(a: Figures["events"], b: Figures["events"]): Figures["events"] {
  return Object.fromEntries(STAT_EVENTS.map((event) => [event, a[event] + b[event]])) as Record<
    StatEvent,
    number
  >;
}

function addedDurations(a: Figures["durations"], b: Figures["durations"]): Figures["durations"] {
  return Object.fromEntries(DURATION_KINDS.map((kind) => [kind, added(a[kind], b[kind])])) as Record<
    DurationKind,
    Histogram
  >;
}

function added(a: Histogram, b: Histogram): Histogram {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  return {
    count: a.count + b.count,
    sumMs: a.sumMs + b.sumMs,
    buckets: a.buckets.map((n, index) => n + (b.buckets[index] ?? 0)),
  };
}
