import { FiguresByKey } from "../figures.js";
import type {
  DiskSpace,
  DurationKind,
  LaneTotal,
  ScheduleTotal,
  SeriesFilter,
  SeriesPoint,
  StatDetail,
  StatEvent,
  StatStore,
  StorageSize,
  Upkeep,
} from "../stats.js";
import type { PostgresContext } from "./context.js";
import { Series } from "./series.js";
import { Statement } from "./statement.js";

/** One row for each queue and name. */
interface TotalRow {
  readonly queue: string;
  readonly name: string;
  readonly events: Readonly<Record<StatEvent, number>> | null;
  readonly durations: readonly [kind: DurationKind, bucket: number, n: number, sumMs: number][] | null;
}

export class PostgresStats implements StatStore {
  readonly #series;
  readonly #totals;
  readonly #schedules;
  readonly #size;
  readonly #upkeep;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#series = new Series(s);
    this.#totals = new Statement<[], TotalRow>(
      `SELECT queue, name, events, durations FROM (
         SELECT queue, name, json_object_agg(event, n) AS events FROM (
           SELECT queue, name, event, sum(n) AS n FROM ${s}.total_events GROUP BY queue, name, event
         ) AS event GROUP BY queue, name
       ) AS happened FULL JOIN (
         SELECT queue, name, json_agg(json_build_array(kind, bucket, n, sum_ms)) AS durations FROM (
           SELECT queue, name, kind, bucket, sum(n) AS n, sum(sum_ms) AS sum_ms FROM ${s}.total_durations
           GROUP BY queue, name, kind, bucket
         ) AS duration GROUP BY queue, name
       ) AS took USING (queue, name) ORDER BY queue, name`,
    );
    this.#schedules = new Statement<[], ScheduleTotal>(
      `SELECT key, CASE WHEN paused_at IS NULL THEN next_at END AS "nextAt", enqueued, skipped, missed_count AS missed
       FROM ${s}.schedules ORDER BY key`,
    );
    this.#size = new Statement<[schema: string], { bytes: number }>(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
       WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'S')`,
    );
    // Autovacuum's own transactions keep nothing from being removed; those of sessions and prepared ones do, and only
    // in their own database.
    this.#upkeep = new Statement<[schema: string], Upkeep>(
      `SELECT
         (SELECT coalesce(sum(n_dead_tup), 0)::bigint FROM pg_stat_user_tables
          WHERE relid IN (SELECT oid FROM pg_class WHERE relnamespace = $1::regnamespace)) AS "deadRows",
         floor(extract(epoch FROM coalesce(max(greatest(clock_timestamp() - begun, '0')), '0')) * 1000)::bigint
           AS "oldestTransactionMs"
       FROM (
         SELECT xact_start AS begun FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         UNION ALL
         SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()
       ) AS open`,
    );
  }

  totals(): Promise<readonly LaneTotal[]> {
    return this.context.read(async (db) => {
      const lanes = new FiguresByKey((queue: string, name: string) => ({ queue, name }));
      for (const { queue, name, events, durations } of await this.#totals.all(db)) {
        const figures = lanes.find(queue, name);
        Object.assign(figures.events, events);
        for (const bucket of durations ?? []) figures.add(...bucket);
      }
      return lanes.all();
    });
  }

  series(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]> {
    return this.context.read((db) => this.#series.points(db, filter, detail));
  }

  schedules(): Promise<readonly ScheduleTotal[]> {
    return this.context.read((db) => this.#schedules.all(db));
  }

  storage(): Promise<readonly StorageSize[]> {
    return this.context.read(async (db) => {
      const size = await this.#size.get(db, this.context.s);
      return [{ file: "db", bytes: size?.bytes ?? 0 }];
    });
  }

  upkeep(): Promise<Upkeep> {
    return this.context.read(async (db) => {
      const upkeep = await this.#upkeep.get(db, this.context.s);
      if (upkeep === undefined) throw new Error("An aggregate gave no row");
      return upkeep;
    });
  }

  disk(): Promise<DiskSpace | null> {
    return Promise.resolve(null);
  }
}
