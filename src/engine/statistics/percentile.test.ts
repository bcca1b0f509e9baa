import { describe, expect, test } from "vitest";
import { DURATION_BOUNDS_MS } from "../../store/stats.js";
import { percentile } from "./percentile.js";

function histogram(buckets: Record<number, number>) {
  const counts = Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, index) => buckets[index] ?? 0);
  return { count: counts.reduce((a, b) => a + b), sumMs: 0, buckets: counts };
}

describe("percentile", () => {
  test("of nothing is nothing", () => {
    expect(percentile(histogram({}), 0.5)).toBeNull();
  });

  test("lies within its bucket, in proportion", () => {
    // 10 up to 5 ms, 10 of 250 to 500 ms.
    const two = histogram({ 0: 10, 6: 10 });
    expect(percentile(two, 0.25)).toBe(2.5);
    expect(percentile(two, 0.5)).toBe(5);
    expect(percentile(two, 0.75)).toBe(375);
    expect(percentile(two, 1)).toBe(500);
    expect(percentile(histogram({ 6: 1 }), 0)).toBe(250);
  });

  test("in the open bucket is that one's lower bound", () => {
    expect(percentile(histogram({ 0: 1, [DURATION_BOUNDS_MS.length]: 99 }), 0.95)).toBe(3_600_000);
  });

  test("is never off by more than the width of a bucket", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => 1 + ((index * 7_919) % 20_000));
    const buckets: Record<number, number> = {};
    for (const value of values) {
      const bucket = DURATION_BOUNDS_MS.findIndex((bound) => value <= bound);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    const sorted = values.toSorted((a, b) => a - b);
    for (const share of [0.01, 0.5, 0.95, 0.99]) {
      const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
      const index = DURATION_BOUNDS_MS.findIndex((bound) => exact <= bound);
      const estimate = percentile(histogram(buckets), share)!;
      expect(estimate).toBeGreaterThanOrEqual(DURATION_BOUNDS_MS[index - 1] ?? 0);
      expect(estimate).toBeLessThanOrEqual(DURATION_BOUNDS_MS[index]!);
    }
  });
});
