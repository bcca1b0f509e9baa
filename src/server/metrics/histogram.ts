import { DURATION_BOUNDS_MS, type Histogram } from "../../store/stats.js";
import type { Exposition } from "./exposition.js";

const BOUNDS = [...DURATION_BOUNDS_MS.map((bound) => `le="${bound / 1_000}"`), 'le="+Inf"'];

/** Adds up histograms of the same buckets. */
export class HistogramSum {
  #sumMs = 0;
  readonly #buckets = BOUNDS.map(() => 0);

  add({ count, sumMs, buckets }: Histogram): void {
    if (count === 0) return;
    this.#sumMs += sumMs;
    for (const [index, n] of buckets.entries())
      if (n > 0) this.#buckets[index] = (this.#buckets[index] ?? 0) + n;
  }

  /** In seconds, its buckets cumulative, as Prometheus has them. */
  expose(into: Exposition, name: string, labels: string): void {
    const more = labels === "" ? "" : `,${labels}`;
    let count = 0;
    for (const [index, bound] of BOUNDS.entries()) {
      count += this.#buckets[index] ?? 0;
      into.value(`${name}_bucket`, bound + more, count);
    }
    into.value(`${name}_sum`, labels, this.#sumMs / 1_000);
    into.value(`${name}_count`, labels, count);
  }
}
