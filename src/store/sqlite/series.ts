import {
  DURATION_KINDS,
  STAT_EVENTS,
  STEP_MS,
  type DurationKind,
  type SeriesFilter,
  type SeriesPoint,
  type StatDetail,
  type StatEvent,
  type StatStep,
} from "../stats.js";
import type { Connection } from "./connection.js";
import { FiguresByKey } from "../figures.js";

type Nullable = string | null;
type EventPointRow = [at: number, queue: Nullable, name: Nullable, event: StatEvent, n: number];
type DurationPointRow = [
  at: number,
  queue: Nullable,
  name: Nullable,
  kind: DurationKind,
  bucket: number,
  n: number,
  sumMs: number,
];

interface Range {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly queue: string | null;
  readonly name: string | null;
}

/** What `GROUP BY` tells apart. Grouped by number, because `queue` would mean the column and not NULL. */
const GROUPS = {
  lanes: { queue: "queue", name: "name" },
  queues: { queue: "queue", name: "NULL" },
  names: { queue: "NULL", name: "name" },
  all: { queue: "NULL", name: "NULL" },
} as const satisfies Record<StatDetail, unknown>;

/** Reads the roll-ups, with a statement for events and one for durations. */
export class Series {
  constructor(private readonly db: Connection) {}

  /** See `StatStore.series`. */
  points(filter: SeriesFilter, detail: StatDetail): readonly SeriesPoint[] {
    const { from, to, step, widthMs = STEP_MS[step], queue = null, name = null } = filter;
    const range = { from: from - (from % STEP_MS[step]), to, width: widthMs, queue, name };
    const points = new FiguresByKey((at: number, ofQueue: Nullable, ofName: Nullable) => ({
      at,
      queue: ofQueue,
      name: ofName,
    }));
    const { events = STAT_EVENTS, kinds = DURATION_KINDS } = filter;
    if (events.length > 0) {
      for (const [at, ofQueue, ofName, event, n] of this.#events(filter, detail, events).iterate(range)) {
        points.find(at, ofQueue, ofName).events[event] = n;
      }
    }
    if (kinds.length > 0) {
      for (const row of this.#durations(filter, detail, kinds).iterate(range)) {
        const [at, ofQueue, ofName, kind, bucket, n, sumMs] = row;
        points.find(at, ofQueue, ofName).add(kind, bucket, n, sumMs);
      }
    }
    return points.all().sort((a, b) => a.at - b.at);
  }

  #events({ step, queue }: SeriesFilter, detail: StatDetail, events: readonly StatEvent[]) {
    const groups = GROUPS[detail];
    const wanted = STAT_EVENTS.filter((event) => events.includes(event));
    return this.db
      .prepare<[Range], EventPointRow>(
        `SELECT ${spanOf(step)}, ${groups.queue}, ${groups.name}, event, sum(n)
         FROM ${source(step, "events", queue)} AND ${oneOf("event", wanted, STAT_EVENTS.length)}
         GROUP BY 1, 2, 3, 4`,
      )
      .raw();
  }

  #durations({ step, queue }: SeriesFilter, detail: StatDetail, kinds: readonly DurationKind[]) {
    const groups = GROUPS[detail];
    const wanted = DURATION_KINDS.filter((kind) => kinds.includes(kind));
    return this.db
      .prepare<[Range], DurationPointRow>(
        `SELECT ${spanOf(step)}, ${groups.queue}, ${groups.name}, kind, bucket, sum(n), sum(sum_ms)
         FROM ${source(step, "durations", queue)} AND ${oneOf("kind", wanted, DURATION_KINDS.length)}
         GROUP BY 1, 2, 3, 4, 5`,
      )
      .raw();
  }
}

function spanOf(step: StatStep): string {
  return `${step} - ${step} % @width`;
}

/**
 * The rows of a range. They are ordered by time first, so the rows of one queue lie scattered over the range: for
 * one queue each minute or hour is looked up, which reads no rows of others.
 */
function source(step: StatStep, of: "events" | "durations", queue: string | undefined): string {
  const table = `${step}_${of}`;
  const ofName = "(@name IS NULL OR name = @name)";
  if (queue === undefined) {
    return `${table} WHERE ${step} >= @from AND ${step} < @to AND @queue IS NULL AND ${ofName}`;
  }
  return `(
      WITH RECURSIVE bounds (first, last) AS (
        SELECT max(@from, (SELECT min(${step}) FROM ${table})), min(@to - 1, (SELECT max(${step}) FROM ${table}))
      ), steps (at) AS (
        SELECT first FROM bounds WHERE first <= last
        UNION ALL SELECT at + ${STEP_MS[step]} FROM steps, bounds WHERE at + ${STEP_MS[step]} <= last
      )
      SELECT at FROM steps
    ) CROSS JOIN ${table} ON ${step} = at AND queue = @queue WHERE ${ofName}`;
}

/** Literals of our own. */
function oneOf(column: "event" | "kind", wanted: readonly string[], ofAll: number): string {
  if (wanted.length === ofAll) return "true";
  return `${column} IN (${wanted.map((each) => `'${each}'`).join(", ")})`;
}
