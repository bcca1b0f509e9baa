import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimit } from "../../core/queue-limits.js";
import { bucketOf, leavesAt, windowStart } from "./rate-window.js";

/** Starts as many jobs as are let in at each of these times. */
function startsAt(rate: RateLimit, times: readonly { at: number; wanted: number }[]): number[] {
  const buckets = new Map<number, { until: number; n: number }>();
  const starts: number[] = [];
  for (const { at: now, wanted } of times) {
    const counted = [...buckets.values()].filter(({ until }) => until > windowStart(now, rate));
    const n = Math.min(wanted, rate.max - counted.reduce((sum, bucket) => sum + bucket.n, 0));
    const { at, until } = bucketOf(now, rate);
    buckets.set(at, { until, n: (buckets.get(at)?.n ?? 0) + n });
    starts.push(...new Array<number>(n).fill(now));
  }
  return starts;
}

const rates = fc.record({ max: fc.integer({ min: 1, max: 5 }), perMs: fc.integer({ min: 1, max: 500 }) });
const calls = fc
  .array(fc.record({ wait: fc.integer({ min: 0, max: 120 }), wanted: fc.integer({ min: 1, max: 6 }) }), {
    maxLength: 60,
  })
  .map((steps) => {
    let at = 1_767_571_200_000;
    return steps.map(({ wait, wanted }) => ({ at: (at += wait), wanted }));
  });

describe("a rate window", () => {
  test("never lets more starts into any time of its length than allowed", () => {
    fc.assert(
      fc.property(rates, calls, (rate, times) => {
        const starts = startsAt(rate, times);
        for (const [index, start] of starts.entries()) {
          const after = starts[index + rate.max];
          if (after !== undefined) expect(after - start).toBeGreaterThanOrEqual(rate.perMs);
        }
      }),
    );
  });

  test("lets in the next start when it says so, and not earlier", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 1_000 }), (rate, from) => {
        const first = bucketOf(from, rate);
        const opens = leavesAt(first, rate);
        const full = { at: from, wanted: rate.max };
        expect(startsAt(rate, [full, { at: opens - 1, wanted: 1 }])).toHaveLength(rate.max);
        expect(startsAt(rate, [full, { at: opens, wanted: 1 }])).toHaveLength(rate.max + 1);
        // A window, and a step of it.
        expect(opens - from).toBeLessThanOrEqual(rate.perMs + Math.ceil(rate.perMs / 50));
      }),
    );
  });
});
