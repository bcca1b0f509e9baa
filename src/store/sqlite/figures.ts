import {
  DURATION_BOUNDS_MS,
  STAT_EVENTS,
  type DurationKind,
  type Figures,
  type StatEvent,
} from "../stats.js";

class Buckets {
  count = 0;
  sumMs = 0;
  readonly buckets = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
}

/** Figures that are being put together from rows. */
class FiguresInWork implements Figures {
  readonly events = Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as Record<StatEvent, number>;
  readonly durations = { wait: new Buckets(), run: new Buckets(), lag: new Buckets() };

  add(kind: DurationKind, bucket: number, n: number, sumMs: number): void {
    const histogram = this.durations[kind];
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
