import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffDelayMs, clampDelayMs, MAX_BACKOFF_MS, type Backoff } from "./backoff.js";
import { MAX_INSTANT } from "./defaults.js";

const HOUR_MS = 3_600_000;
const none = () => 0;

describe("backoffDelayMs", () => {
  test("the default doubles from a second up to an hour", () => {
    const delays = [1, 2, 3, 4, 11, 12, 13, 20].map((failures) => backoffDelayMs(null, failures, none));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 1_024_000, 2_048_000, HOUR_MS, HOUR_MS]);
  });

  test("RTY-03 an exponential backoff without a base has the default one", () => {
    const delays = [1, 2, 3].map((failures) => backoffDelayMs({ type: "exponential" }, failures, none));
    expect(delays).toEqual([1_000, 2_000, 4_000]);
    const total = Array.from({ length: 10 }, (_, index) =>
      backoffDelayMs({ type: "exponential" }, index + 1, () => 1),
    ).reduce((sum, delay) => sum + delay);
    expect(total).toBeGreaterThan(5_000);
  });

  test("a fixed backoff does not grow and has no jitter of its own", () => {
    for (const failures of [1, 2, 1_000]) {
      expect(backoffDelayMs({ type: "fixed", delayMs: 5_000 }, failures, () => 0.999)).toBe(5_000);
    }
  });

  test("jitter takes a part off: the default a fifth, 1 up to all of it, 0 nothing", () => {
    const most = () => 1;
    expect(backoffDelayMs({ type: "exponential", baseMs: 1_000 }, 1, most)).toBe(800);
    expect(backoffDelayMs({ type: "exponential", baseMs: 1_000, jitter: 0 }, 1, most)).toBe(1_000);
    expect(backoffDelayMs({ type: "exponential", baseMs: 1_000, jitter: 1 }, 1, most)).toBe(0);
    expect(backoffDelayMs({ type: "fixed", delayMs: 1_000, jitter: 0.5 }, 1, most)).toBe(500);
    expect(backoffDelayMs({ type: "fixed", delayMs: 1_000, jitter: 0.5 }, 1, none)).toBe(1_000);
  });

  test.each([1, 2, 31, 32, 43, 44, 53, 64, 1_024, 1_025, 2_000])(
    "RTY-01 after %i failures the next run is a valid date in the future, within the cap",
    (failures) => {
      const now = Date.UTC(2026, 0, 5);
      for (const backoff of [null, { type: "exponential", baseMs: 1_000 }] as const) {
        for (const random of [none, () => 0.5, () => 1 - Number.EPSILON]) {
          const next = now + backoffDelayMs(backoff, failures, random);
          expect(Number.isNaN(new Date(next).getTime())).toBe(false);
          expect(next).toBeGreaterThan(now);
          expect(next).toBeLessThanOrEqual(now + HOUR_MS);
        }
      }
    },
  );

  const delay = fc.integer({ min: 0, max: MAX_BACKOFF_MS });
  const jitter = fc.double({ min: 0, max: 1, noNaN: true });
  const policy: fc.Arbitrary<Backoff> = fc.oneof(
    fc.record({ type: fc.constant("fixed"), delayMs: delay, jitter }),
    fc.record({ type: fc.constant("exponential"), baseMs: delay, maxMs: delay, jitter }),
    fc.record({ type: fc.constant("exponential") }),
  );

  test("RTY-01 every policy gives a whole delay between 0 and its cap, after jitter too", () => {
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 5_000 }), jitter, (backoff, failures, random) => {
        const ms = backoffDelayMs(backoff, failures, () => random);
        const cap = backoff.type === "fixed" ? backoff.delayMs : (backoff.maxMs ?? HOUR_MS);
        expect(Number.isSafeInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(cap);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  test("without jitter a later failure never waits less", () => {
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 2_000 }), (backoff, failures) => {
        const steady = { ...backoff, jitter: 0 };
        const next = backoffDelayMs(steady, failures + 1, none);
        expect(next).toBeGreaterThanOrEqual(backoffDelayMs(steady, failures, none));
      }),
      { seed: 2, numRuns: 1_000 },
    );
  });
});

describe("clampDelayMs", () => {
  test.each([
    [-1, 0],
    [-Infinity, 0],
    [-0, 0],
    [1.4, 1],
    [1.5, 2],
    [Infinity, MAX_BACKOFF_MS],
    [1e300, MAX_BACKOFF_MS],
    [Number.NaN, HOUR_MS],
  ])("RTY-01 makes %d a storable delay: %i", (given, expected) => {
    expect(clampDelayMs(given) + 0).toBe(expected);
  });

  test("no delay from now on reaches beyond the last instant", () => {
    expect(Date.UTC(2126, 0, 1) + MAX_BACKOFF_MS).toBeLessThan(MAX_INSTANT);
  });
});
