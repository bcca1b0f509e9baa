import { setImmediate as nextTurn } from "node:timers/promises";
import type { Instant } from "../../core/job.js";
import type { SeriesFilter, SeriesPoint, StatDetail, StatStep } from "../../store/stats.js";
import type { Store } from "../../store/store.js";
import { sumsOf, type Sum } from "./sums.js";

/**
 * The shortest spans that are read at a time, or one point where that is longer. All widths of points divide them or
 * are multiples. Read in some hundredths of a second where hundreds of queues and names are busy.
 */
const CHUNK_MS = { minute: 900_000, hour: 6 * 3_600_000 } as const satisfies Record<StatStep, number>;

/** A transaction writes into the minute in which it began, and may take a while. */
const CLOSED_AFTER_MS = 60_000;

/** Some thousand charts; a point takes half a kilobyte. */
const MAX_CACHED_POINTS = 20_000;

interface Chunk {
  readonly from: Instant;
  readonly to: Instant;
  /** Whether it is a whole one, in which nothing will happen any more. */
  readonly closed: boolean;
}

interface Cached {
  readonly points: Promise<readonly SeriesPoint[]>;
  /** 0 until it is read. */
  size: number;
}

/**
 * Reads roll-ups over spans of any length: chunk by chunk, with a turn of the event loop in between, and what is
 * past only once. Where the wall clock was set back by minutes, what happens twice at a time may be missing in
 * answers until the server starts anew; the store has it.
 */
export class RollUps {
  /** The one that was asked for last comes last. */
  readonly #cached = new Map<string, Cached>();
  #size = 0;

  constructor(private readonly store: Store) {}

  /** As `StatStore.series`. `from` is a multiple of the width of a point. */
  async points(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]> {
    const found: (readonly SeriesPoint[])[] = [];
    for (const { from, to, closed } of chunksOf(filter, this.store.now())) {
      const part = { ...filter, from, to };
      found.push(await (closed ? this.#closed(part, detail) : this.#read(part, detail)));
    }
    return found.flat();
  }

  /** What happened in the whole span, by queue and name as `detail` says. */
  async sums(filter: Omit<SeriesFilter, "widthMs">, detail: StatDetail): Promise<readonly Sum[]> {
    return sumsOf(await this.points({ ...filter, widthMs: CHUNK_MS[filter.step] }, detail));
  }

  #closed(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]> {
    const key = JSON.stringify([detail, filter]);
    const known = this.#cached.get(key);
    if (known !== undefined) {
      this.#cached.delete(key);
      this.#cached.set(key, known);
      return known.points;
    }
    const points = this.#read(filter, detail);
    const cached: Cached = { points, size: 0 };
    this.#cached.set(key, cached);
    points.then(
      (read) => {
        this.#keep(key, cached, read.length + 1);
      },
      () => this.#cached.delete(key),
    );
    return points;
  }

  async #read(filter: SeriesFilter, detail: StatDetail): Promise<readonly SeriesPoint[]> {
    await nextTurn();
    return this.store.stats.series(filter, detail);
  }

  #keep(key: string, cached: Cached, size: number): void {
    if (this.#cached.get(key) !== cached) return;
    cached.size = size;
    this.#size += size;
    for (const [first, oldest] of this.#cached) {
      if (this.#size <= MAX_CACHED_POINTS) return;
      this.#size -= oldest.size;
      this.#cached.delete(first);
    }
  }
}

function* chunksOf({ from, to, step, widthMs = 0 }: SeriesFilter, now: Instant): Generator<Chunk> {
  const length = Math.max(CHUNK_MS[step], widthMs);
  for (let start = from; start < to;) {
    const end = start - (start % length) + length;
    const whole = start % length === 0 && end <= to;
    yield { from: start, to: Math.min(end, to), closed: whole && end + CLOSED_AFTER_MS <= now };
    start = end;
  }
}
