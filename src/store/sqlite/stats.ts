import { statSync } from "node:fs";
import {
  STEP_MS,
  type DurationKind,
  type LaneTotal,
  type ScheduleTotal,
  type SeriesFilter,
  type SeriesPoint,
  type StatDetail,
  type StatEvent,
  type StatStep,
  type StatStore,
  type StorageSize,
} from "../stats.js";
import type { SqliteContext } from "./context.js";
import { FiguresByKey } from "./figures.js";

/** One row for each queue and name, its figures as JSON: a row for each figure took three times as long. */
type TotalRow = [queue: string, name: string, figures: string];
type Bucket = [kind: DurationKind, bucket: number, n: number, sumMs: number];

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
  all: { queue: "NULL", name: "NULL" },
} as const satisfies Record<StatDetail, unknown>;

export class SqliteStats implements StatStore {
  readonly #totalEvents;
  readonly #totalDurations;
  readonly #schedules;
  readonly #pageCount;
  readonly #freelistCount;
  readonly #pageSize;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#totalEvents = db
      .prepare<[], TotalRow>(
        "SELECT queue, name, json_group_object(event, n) FROM total_events GROUP BY queue, name",
      )
      .raw();
    this.#totalDurations = db
      .prepare<[], TotalRow>(
        `SELECT queue, name, json_group_array(json_array(kind, bucket, n, sum_ms)) FROM total_durations
         GROUP BY queue, name`,
      )
      .raw();
    this.#schedules = db.prepare<[], ScheduleTotal>(
      `SELECT key, iif(paused_at IS NULL, next_at, NULL) AS nextAt, enqueued, skipped, missed_count AS missed
       FROM schedules ORDER BY key`,
    );
    this.#pageCount = db.prepare<[], number>("PRAGMA page_count").pluck();
    this.#freelistCount = db.prepare<[], number>("PRAGMA freelist_count").pluck();
    this.#pageSize = db.prepare<[], number>("PRAGMA page_size").pluck();
  }

  totals(): Promise<readonly LaneTotal[]> {
    return this.context.read(() => {
      const lanes = new FiguresByKey((queue: string, name: string) => ({ queue, name }));
      for (const [queue, name, events] of this.#totalEvents.all()) {
        Object.assign(lanes.find(queue, name).events, JSON.parse(events));
      }
      for (const [queue, name, buckets] of this.#totalDurations.all()) {
        const figures = lanes.find(queue, name);
        for (const bucket of JSON.parse(buckets) as Bucket[]) figures.add(...bucket);
      }
      return lanes.all();
    });
  }

  series(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]> {
    return this.context.read(() => {
      const { from, to, step, widthMs = STEP_MS[step], queue = null, name = null } = filter;
      const range = { from: from - (from % STEP_MS[step]), to, width: widthMs, queue, name };
      const points = new FiguresByKey((at: number, ofQueue: Nullable, ofName: Nullable) => ({
        at,
        queue: ofQueue,
        name: ofName,
      }));
      for (const [at, ofQueue, ofName, event, n] of this.#pointEvents(step, detail).iterate(range)) {
        points.find(at, ofQueue, ofName).events[event] = n;
      }
      for (const row of this.#pointDurations(step, detail).iterate(range)) {
        const [at, ofQueue, ofName, kind, bucket, n, sumMs] = row;
        points.find(at, ofQueue, ofName).add(kind, bucket, n, sumMs);
      }
      return points.all().sort((a, b) => a.at - b.at);
    });
  }

  schedules(): Promise<readonly ScheduleTotal[]> {
    return this.context.read(() => this.#schedules.all());
  }

  storage(): Promise<readonly StorageSize[]> {
    return this.context.read(() => {
      const page = this.#pageSize.get() ?? 0;
      const wal = statSync(`${this.context.db.name}-wal`, { throwIfNoEntry: false });
      return [
        { file: "db", bytes: (this.#pageCount.get() ?? 0) * page },
        { file: "wal", bytes: wal?.size ?? 0 },
        { file: "freelist", bytes: (this.#freelistCount.get() ?? 0) * page },
      ];
    });
  }

  #pointEvents(step: StatStep, detail: StatDetail) {
    const { queue, name } = GROUPS[detail];
    return this.context.db
      .prepare<[Range], EventPointRow>(
        `SELECT ${spanOf(step)}, ${queue}, ${name}, event, sum(n) FROM ${step}_events
         WHERE ${within(step)} GROUP BY 1, 2, 3, 4`,
      )
      .raw();
  }

  #pointDurations(step: StatStep, detail: StatDetail) {
    const { queue, name } = GROUPS[detail];
    return this.context.db
      .prepare<[Range], DurationPointRow>(
        `SELECT ${spanOf(step)}, ${queue}, ${name}, kind, bucket, sum(n), sum(sum_ms) FROM ${step}_durations
         WHERE ${within(step)} GROUP BY 1, 2, 3, 4, 5`,
      )
      .raw();
  }
}

function spanOf(step: StatStep): string {
  return `${step} - ${step} % @width`;
}

function within(step: StatStep): string {
  return `${step} >= @from AND ${step} < @to AND (@queue IS NULL OR queue = @queue)
    AND (@name IS NULL OR name = @name)`;
}
