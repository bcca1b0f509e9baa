import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type {
  DiskSpace,
  DurationKind,
  LaneTotal,
  ScheduleTotal,
  SeriesFilter,
  SeriesPoint,
  StatDetail,
  StatStore,
  StorageSize,
} from "../stats.js";
import type { SqliteContext } from "./context.js";
import { FiguresByKey } from "../figures.js";
import { Series } from "./series.js";

/** One row for each queue and name, its figures as JSON: a row for each figure took three times as long. */
type TotalRow = [queue: string, name: string, figures: string];
type Bucket = [kind: DurationKind, bucket: number, n: number, sumMs: number];

export class SqliteStats implements StatStore {
  readonly #series;
  readonly #totalEvents;
  readonly #totalDurations;
  readonly #schedules;
  readonly #pageCount;
  readonly #freelistCount;
  readonly #pageSize;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#series = new Series(db);
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
    return this.context.read(() => this.#series.points(filter, detail));
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

  /** A change leaves no dead row behind. What a long read costs is the size of the write-ahead log. */
  upkeep(): Promise<null> {
    return Promise.resolve(null);
  }

  async disk(): Promise<DiskSpace | null> {
    const file = this.context.db.name;
    if (file === ":memory:" || file === "") return null;
    const { bavail, blocks, bsize } = await statfs(dirname(file));
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }
}
