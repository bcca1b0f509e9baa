import { DURATION_BOUNDS_MS, type Histogram } from "../../store/stats.js";

/**
 * Estimates a percentile as Prometheus does: durations are taken to lie evenly in their bucket. The true
 * value lies in the same bucket, so the estimate is off by less than the bucket's width. Of the last bucket,
 * which has no end, the answer is its lower bound: the true value is larger.
 *
 * @param share such as 0.95
 * @returns milliseconds, `null` when there are no durations
 */
export function percentile({ count, buckets }: Histogram, share: number): number | null {
  if (count === 0) return null;
  const rank = share * count;
  let below = 0;
  for (const [index, n] of buckets.entries()) {
    if (n > 0 && below + n >= rank) {
      const lower = index === 0 ? 0 : (DURATION_BOUNDS_MS[index - 1] ?? 0);
      const upper = DURATION_BOUNDS_MS[index] ?? lower;
      return lower + ((upper - lower) * (rank - below)) / n;
    }
    below += n;
  }
  return DURATION_BOUNDS_MS.at(-1) ?? 0;
}
