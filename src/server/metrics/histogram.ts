import { DURATION_BOUNDS_MS, type Histogram } from "../../store/stats.js";
import type { Sample } from "./family.js";

const LE = [...DURATION_BOUNDS_MS.map((bound) => ({ le: bound / 1_000 })), { le: "+Inf" }];
const NO_LABELS = {};

/** Adds up histograms of the same buckets. */
export class HistogramSum {
  #sumMs = 0;
  readonly #buckets = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);

  add({ sumMs, buckets }: Histogram): void {
    this.#sumMs += sumMs;
    for (const [index, n] of buckets.entries()) this.#buckets[index] = (this.#buckets[index] ?? 0) + n;
  }

  /** In seconds, its buckets cumulative, as Prometheus has them. */
  samples(name: string, sharedLabels: Readonly<Record<string, string>>): Sample[] {
    let count = 0;
    const metricName = `${name}_bucket`;
    const samples: Sample[] = this.#buckets.map((n, index) => {
      count += n;
      return { metricName, labels: LE[index] ?? NO_LABELS, sharedLabels, value: count };
    });
    samples.push(
      { metricName: `${name}_sum`, labels: NO_LABELS, sharedLabels, value: this.#sumMs / 1_000 },
      { metricName: `${name}_count`, labels: NO_LABELS, sharedLabels, value: count },
    );
    return samples;
  }
}
