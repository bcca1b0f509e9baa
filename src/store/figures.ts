import {
  DURATION_BOUNDS_MS,
  STAT_EVENTS,
  type DurationKind,
  type Figures,
  type Histogram,
  type StatEvent,
} from "./stats.js";

const NO_EVENTS = Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as Record<StatEvent, number>;
const NO_DURATIONS: Histogram = {
  count: 0,
  sumMs: 0,
  buckets: new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0),
};

class Buckets implements Histogram {
  count = 0;
  sumMs = 0;
  readonly buckets = NO_DURATIONS.buckets.slice();
}

/** Figures that are being put together from rows. */
class FiguresInWork implements Figures {
  readonly events = { ...NO_EVENTS };
  /** Most kinds of most queues and names are empty. */
  readonly durations: Record<DurationKind, Histogram> = {
    wait: NO_DURATIONS,
    run: NO_DURATIONS,
    lag: NO_DURATIONS,
  };

  add(kind: DurationKind, bucket: number, n: number, sumMs: number): void {
    const known = this.durations[kind];
    const histogram = known instanceof Buckets ? known : new Buckets();
    this.durations[kind] = histogram;
    histogram.count += n;
    histogram.sumMs += sumMs;
    histogram.buckets[bucket] = n;
  }
}

/** Collects rows of several statements into one entry for each key. */
export class FiguresByKey<Parts extends readonly unknown[], Key extends object> {
  readonly #entries = new Map<string, { readonly key: Key; readonly figures: FiguresInWork }>();
  /** Rows of one entry come one after another. */
  #lastParts: Parts | null = null;
  #last: FiguresInWork | null = null;

  constructor(private readonly keyOf: (...parts: Parts) => Key) {}

  find(...parts: Parts): FiguresInWork {
    const last = this.#lastParts;
    if (this.#last !== null && last?.every((part, index) => part === parts[index]) === true)
      return this.#last;
    const id = JSON.stringify(parts);
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = { key: this.keyOf(...parts), figures: new FiguresInWork() };
      this.#entries.set(id, entry);
    }
    this.#lastParts = parts;
    this.#last = entry.figures;
    return entry.figures;
  }

  all(): (Key & Figures)[] {
    return [...this.#entries.values()].map(({ key, figures: { events, durations } }) => ({
      ...key,
      events,
      durations,
    }));
  }
}
