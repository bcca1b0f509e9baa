import { FiguresByKey } from "../figures.js";
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
import type { Queryable } from "./connection.js";
import { Statement } from "./statement.js";

type Nullable = string | null;

interface Place {
  readonly at: number;
  readonly queue: Nullable;
  readonly name: Nullable;
  readonly n: number;
}
type PointRow =
  | (Place & { readonly what: StatEvent; readonly bucket: null })
  | (Place & { readonly what: DurationKind; readonly bucket: number; readonly sum_ms: number });

type Range = [
  from: number,
  to: number,
  width: number,
  queue: Nullable,
  name: Nullable,
  events: readonly StatEvent[],
  kinds: readonly DurationKind[],
];

/** What is told apart. */
const GROUPS = {
  lanes: "queue, name",
  queues: "queue, NULL::text AS name",
  names: "NULL::text AS queue, name",
  all: "NULL::text AS queue, NULL::text AS name",
} as const satisfies Record<StatDetail, string>;

/** Reads the roll-ups, events and durations in one statement: both are from the same moment. */
export class Series {
  readonly #statements;

  constructor(s: string) {
    const statement = (step: StatStep, groups: string) => {
      const range = `WHERE ${step} >= $1 AND ${step} < $2 AND ($4::text IS NULL OR queue = $4)
        AND ($5::text IS NULL OR name = $5)`;
      const columns = `${step} - ${step} % $3 AS at, ${groups}`;
      return new Statement<Range, PointRow>(
        `SELECT ${columns}, event AS what, NULL::smallint AS bucket, sum(n) AS n, NULL::numeric AS sum_ms
         FROM ${s}.${step}_events ${range} AND event = ANY($6::text[]) GROUP BY 1, 2, 3, 4
         UNION ALL
         SELECT ${columns}, kind, bucket, sum(n), sum(sum_ms)
         FROM ${s}.${step}_durations ${range} AND kind = ANY($7::text[]) GROUP BY 1, 2, 3, 4, 5`,
      );
    };
    const statements = (step: StatStep) =>
      Object.fromEntries(
        Object.entries(GROUPS).map(([detail, groups]) => [detail, statement(step, groups)]),
      ) as Record<StatDetail, Statement<Range, PointRow>>;
    this.#statements = { minute: statements("minute"), hour: statements("hour") };
  }

  /** See `StatStore.series`. */
  async points(db: Queryable, filter: SeriesFilter, detail: StatDetail): Promise<SeriesPoint[]> {
    const { from, to, step, widthMs = STEP_MS[step], queue = null, name = null } = filter;
    const { events = STAT_EVENTS, kinds = DURATION_KINDS } = filter;
    const points = new FiguresByKey((at: number, ofQueue: Nullable, ofName: Nullable) => ({
      at,
      queue: ofQueue,
      name: ofName,
    }));
    const rows = await this.#statements[step][detail].all(
      db,
      from - (from % STEP_MS[step]),
      to,
      widthMs,
      queue,
      name,
      events,
      kinds,
    );
    for (const row of rows) {
      const figures = points.find(row.at, row.queue, row.name);
      if (row.bucket === null) figures.events[row.what] = row.n;
      else figures.add(row.what, row.bucket, row.n, row.sum_ms);
    }
    return points.all().sort((a, b) => a.at - b.at);
  }
}
