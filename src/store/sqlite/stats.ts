import {
  DURATION_BOUNDS_MS,
  DURATION_KINDS,
  STAT_EVENTS,
  type DurationKind,
  type MinuteStat,
  type StatEvent,
  type StatFilter,
  type StatStore,
} from "../stats.js";
import type { SqliteContext } from "./context.js";

interface LaneRow {
  readonly minute: number;
  readonly queue: string;
  readonly name: string;
}

type EventRow = LaneRow & { readonly event: StatEvent; readonly n: number };
type DurationRow = LaneRow & {
  readonly kind: DurationKind;
  readonly bucket: number;
  readonly n: number;
  readonly sum_ms: number;
};

interface Range {
  readonly from: number;
  readonly to: number;
  readonly queue: string | null;
}

interface MutableHistogram {
  count: number;
  sumMs: number;
  readonly buckets: number[];
}

type MutableStat = LaneRow & {
  readonly events: Record<StatEvent, number>;
  readonly durations: Record<DurationKind, MutableHistogram>;
};

export class SqliteStats implements StatStore {
  readonly #events;
  readonly #durations;

  constructor(private readonly context: SqliteContext) {
    const range = "minute >= @from AND minute < @to AND (@queue IS NULL OR queue = @queue)";
    this.#events = context.db.prepare<[Range], EventRow>(`SELECT * FROM minute_events WHERE ${range}`);
    this.#durations = context.db.prepare<[Range], DurationRow>(
      `SELECT * FROM minute_durations WHERE ${range}`,
    );
  }

  minutes(filter: StatFilter): Promise<readonly MinuteStat[]> {
    return this.context.read(() => {
      const from = Math.floor(filter.from / 60_000) * 60_000;
      const range = { from, to: filter.to, queue: filter.queue ?? null };
      const stats = new Map<string, MutableStat>();
      for (const row of this.#events.all(range)) statOf(stats, row).events[row.event] = row.n;
      for (const row of this.#durations.all(range)) {
        const histogram = statOf(stats, row).durations[row.kind];
        histogram.count += row.n;
        histogram.sumMs += row.sum_ms;
        histogram.buckets[row.bucket] = row.n;
      }
      return [...stats.values()].sort((a, b) => a.minute - b.minute);
    });
  }
}

function statOf(stats: Map<string, MutableStat>, { minute, queue, name }: LaneRow): MutableStat {
  const key = JSON.stringify([minute, queue, name]);
  let stat = stats.get(key);
  if (stat === undefined) {
    stat = { minute, queue, name, events: zeroes(STAT_EVENTS), durations: emptyHistograms() };
    stats.set(key, stat);
  }
  return stat;
}

function zeroes<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}

function emptyHistograms(): Record<DurationKind, MutableHistogram> {
  return Object.fromEntries(
    DURATION_KINDS.map((kind) => [
      kind,
      { count: 0, sumMs: 0, buckets: new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0) },
    ]),
  ) as Record<DurationKind, MutableHistogram>;
}
