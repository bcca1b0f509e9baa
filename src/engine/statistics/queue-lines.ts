import type { Instant } from "../../core/job.js";
import type { StatStepName } from "../../core/stat-steps.js";
import type { SeriesPoint } from "../../store/stats.js";
import { percentile } from "./percentile.js";
import type { RollUps } from "./roll-ups.js";
import type { Sum } from "./sums.js";
import { rollUpOf, spanOf, type SpanRequest } from "./timeline.js";

/** As many as a line of a table has room for. */
const LINE = { wanted: 60, most: 60 };
const MAX_QUEUES = 200;

/** What is told of each step. `failed` counts all attempts that failed, timed out or were lost. */
const EVENTS = ["enqueued", "completed", "failed", "dead"] as const;
type LineEvent = (typeof EVENTS)[number];

/** What happened in one queue, with one number for each step. */
export interface QueueLine extends Readonly<Record<LineEvent, readonly number[]>> {
  readonly queue: string;
  /** Over the whole span; `null` when no attempt was started. */
  readonly waitP95Ms: number | null;
  /** `null` when none succeeded or failed. */
  readonly runP95Ms: number | null;
}

export interface QueueLines {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly step: StatStepName;
  /** Those in which something happened, the busiest first, at most 200. */
  readonly lines: readonly QueueLine[];
  /** Whether queues were left out. */
  readonly more: boolean;
}

/**
 * Small charts of all queues.
 *
 * @param covers which queues are wanted
 * @throws KonveierError `validation_failed` for a span without a length or with more than 60 points
 */
export async function queueLines(
  rollUps: RollUps,
  request: SpanRequest,
  covers: (queue: string) => boolean,
): Promise<QueueLines> {
  const { from, to, step, widthMs } = spanOf(request, LINE);
  const span = { from, to, step: rollUpOf(widthMs) };
  const points = await rollUps.points({ ...span, widthMs, events: EVENTS, kinds: [] }, "queues");
  const durations = await rollUps.sums({ ...span, events: [], kinds: ["wait", "run"] }, "queues");
  const counts = countsOf(points, from, widthMs, (to - from) / widthMs);
  const sums = new Map(durations.map((sum) => [sum.queue, sum]));
  const queues = [...new Set([...counts.keys(), ...sums.keys()])].filter((queue) => queue !== null);
  const lines = queues
    .filter(covers)
    .map((queue) => lineOf(queue, counts.get(queue) ?? noCounts((to - from) / widthMs), sums.get(queue)))
    .sort((a, b) => activityOf(b) - activityOf(a) || (a.queue < b.queue ? -1 : 1));
  return { from, to, step, lines: lines.slice(0, MAX_QUEUES), more: lines.length > MAX_QUEUES };
}

type Counts = Readonly<Record<LineEvent, number[]>>;

function noCounts(length: number): Counts {
  const zeroes = () => new Array<number>(length).fill(0);
  return { enqueued: zeroes(), completed: zeroes(), failed: zeroes(), dead: zeroes() };
}

function countsOf(
  points: readonly SeriesPoint[],
  from: Instant,
  widthMs: number,
  length: number,
): Map<string | null, Counts> {
  const found = new Map<string | null, Counts>();
  for (const { at, queue, events } of points) {
    let counts = found.get(queue);
    if (counts === undefined) {
      counts = noCounts(length);
      found.set(queue, counts);
    }
    for (const event of EVENTS) counts[event][(at - from) / widthMs] = events[event];
  }
  return found;
}

function lineOf(queue: string, counts: Counts, sum: Sum | undefined): QueueLine {
  return {
    queue,
    ...counts,
    waitP95Ms: sum === undefined ? null : percentile(sum.durations.wait, 0.95),
    runP95Ms: sum === undefined ? null : percentile(sum.durations.run, 0.95),
  };
}

function activityOf(line: QueueLine): number {
  return EVENTS.reduce((sum, event) => sum + line[event].reduce((a, b) => a + b, 0), 0);
}
