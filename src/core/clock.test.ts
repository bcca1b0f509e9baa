import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import { callAt, MAX_TIMER_MS, systemClock, type Clock } from "./clock.js";

const DAY_MS = 24 * 3_600_000;

/** Calls at `delayMs` from now, and remembers the monotonic times of the calls. */
function callsAfter(clock: FakeClock, delayMs: number): { calls: number[]; cancel: () => void } {
  const start = clock.monotonic();
  const calls: number[] = [];
  const cancel = callAt(clock, start + delayMs, () => calls.push(clock.monotonic() - start));
  return { calls, cancel };
}

describe("callAt", () => {
  test("calls once, at the deadline", async () => {
    const clock = new FakeClock();
    const { calls } = callsAfter(clock, 1_000);
    await clock.advance(999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect(calls).toEqual([1_000]);
    await clock.advance(DAY_MS);
    expect(calls).toEqual([1_000]);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([2 ** 31 - 1, 2 ** 31, 30 * DAY_MS, 400 * DAY_MS])(
    "CLK-01 %d ms are not beyond it, and no single timer is",
    async (delayMs) => {
      const clock = new FakeClock();
      let longest = 0;
      const watched: Clock = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        setTimer: (ms, callback) => {
          longest = Math.max(longest, ms);
          return clock.setTimer(ms, callback);
        },
      };
      const start = clock.monotonic();
      const calls: number[] = [];
      callAt(watched, start + delayMs, () => calls.push(clock.monotonic() - start));
      // Nearly all of it as one suspend, so that the test does not run half a million timers.
      clock.block(delayMs - 3 * MAX_TIMER_MS);
      await clock.advance(3 * MAX_TIMER_MS - 1);
      expect(calls).toEqual([]);
      await clock.advance(1);
      expect(calls).toEqual([delayMs]);
      expect(longest).toBeLessThanOrEqual(MAX_TIMER_MS);
    },
  );

  test.each([1, 4, 5])(
    "CLK-04 a timer that comes %i ms early does not make it early or twice",
    async (earlyMs) => {
      const clock = new FakeClock();
      clock.earlyMs = earlyMs;
      const { calls } = callsAfter(clock, 100);
      await clock.advance(99);
      expect(calls).toEqual([]);
      await clock.advance(101);
      expect(calls).toEqual([100]);
    },
  );

  test("a timer that comes late calls at once", async () => {
    const clock = new FakeClock();
    const { calls } = callsAfter(clock, 100);
    clock.block(5_000);
    await clock.advance(0);
    expect(calls).toEqual([5_000]);
  });

  test("a deadline that has passed is called soon, but not within the call", async () => {
    const clock = new FakeClock();
    const { calls } = callsAfter(clock, -5);
    expect(calls).toEqual([]);
    await clock.advance(0);
    expect(calls).toEqual([0]);
  });

  test("can be cancelled at any time, also between its timers", async () => {
    const clock = new FakeClock();
    const atOnce = callsAfter(clock, 100);
    atOnce.cancel();
    const later = callsAfter(clock, 5 * MAX_TIMER_MS);
    await clock.advance(2.5 * MAX_TIMER_MS);
    later.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(DAY_MS);
    expect([...atOnce.calls, ...later.calls]).toEqual([]);
    later.cancel();
  });

  test("a wall clock that is set does not matter", async () => {
    const clock = new FakeClock();
    const { calls } = callsAfter(clock, 100);
    clock.stepWall(-DAY_MS);
    await clock.advance(50);
    clock.stepWall(2 * DAY_MS);
    await clock.advance(50);
    expect(calls).toEqual([100]);
  });
});

describe("systemClock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("CLK-01 never gives Node a delay that overflows", () => {
    const callback = vi.fn();
    for (const delayMs of [2 ** 31, Number.MAX_SAFE_INTEGER, Infinity])
      systemClock.setTimer(delayMs, callback);
    vi.advanceTimersByTime(MAX_TIMER_MS - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(3);
  });

  test("a timer can be cancelled, and a negative delay is none", () => {
    const callback = vi.fn();
    systemClock.setTimer(10, callback)();
    systemClock.setTimer(-10, callback);
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });
});
