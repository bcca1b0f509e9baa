import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { settled } from "../../../test/support/settled.js";
import { Loop } from "./loop.js";

/** A loop whose runs are counted; each takes until it is told to end, or no time at all. */
class Counted {
  readonly clock = new FakeClock();
  readonly loop: Loop;
  readonly startedAt: number[] = [];
  readonly #start = this.clock.monotonic();
  running = 0;
  mostAtOnce = 0;
  #ends: (() => void)[] = [];

  constructor(
    private readonly options: { slow?: boolean; everyMs?: number; fail?: () => Error | null } = {},
  ) {
    this.loop = new Loop(
      this.clock,
      () => this.#work(),
      () => 7,
    );
  }

  /** Lets the present run end. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await settled();
  }

  async #work(): Promise<number> {
    this.startedAt.push(this.clock.monotonic() - this.#start);
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    if (this.options.slow) await new Promise<void>((resolve) => this.#ends.push(resolve));
    this.running -= 1;
    const error = this.options.fail?.() ?? null;
    if (error !== null) throw error;
    return this.options.everyMs ?? 10;
  }
}

describe("Loop", () => {
  test("runs at once and then as often as the work asks", async () => {
    const { loop, clock, startedAt } = new Counted();
    loop.start();
    await clock.advance(35);
    expect(startedAt).toEqual([0, 10, 20, 30]);
  });

  test("starting twice is starting once", async () => {
    const { loop, clock, startedAt } = new Counted();
    loop.start();
    loop.start();
    await clock.advance(15);
    loop.start();
    await clock.advance(10);
    expect(startedAt).toEqual([0, 10, 20]);
  });

  test("a nudge runs it now, and the rhythm begins anew", async () => {
    const { loop, clock, startedAt } = new Counted();
    loop.start();
    await clock.advance(4);
    loop.nudge();
    loop.nudge();
    await clock.advance(11);
    expect(startedAt).toEqual([0, 4, 14]);
  });

  test("nudges without end do not put it off", async () => {
    const { loop, clock, startedAt } = new Counted();
    // Node makes at least 1 ms of every timer.
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, callback) => setTimer(Math.max(delayMs, 1), callback);
    loop.start();
    await clock.advance(4);
    for (let times = 0; times < 4; times += 1) {
      loop.nudge();
      await clock.advance(0.5);
    }
    expect(startedAt).toEqual([1, 5, 6]);
  });

  test("nudges during a run add one run after it", async () => {
    const counted = new Counted({ slow: true });
    counted.loop.start();
    await counted.clock.advance(0);
    for (let times = 0; times < 3; times += 1) counted.loop.nudge();
    await counted.end();
    await counted.clock.advance(0);
    expect(counted.startedAt).toEqual([0, 0]);
    await counted.end();
    await counted.clock.advance(9);
    expect(counted.startedAt).toHaveLength(2);
    await counted.clock.advance(1);
    expect(counted.startedAt).toEqual([0, 0, 10]);
  });

  test("stop resolves when the present run has ended, and leaves no timer", async () => {
    const counted = new Counted({ slow: true });
    counted.loop.start();
    await counted.clock.advance(0);
    let stopped = false;
    const stopping = counted.loop.stop().then(() => {
      stopped = true;
    });
    await settled();
    expect(stopped).toBe(false);
    await counted.end();
    await stopping;
    expect(counted.running).toBe(0);
    expect(counted.clock.pendingTimers).toBe(0);
    await counted.clock.advance(100);
    expect(counted.startedAt).toHaveLength(1);
  });

  test("SHD-06 stopping twice, at once or unstarted, and nudging when stopped, is fine", async () => {
    const { loop, clock, startedAt } = new Counted();
    await loop.stop();
    loop.nudge();
    loop.start();
    await clock.advance(0);
    await Promise.all([loop.stop(), loop.stop()]);
    loop.nudge();
    await clock.advance(100);
    expect(startedAt).toEqual([0]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a start right after a stop, before the first run, runs once", async () => {
    const { loop, clock, startedAt } = new Counted();
    loop.start();
    await loop.stop();
    loop.start();
    await clock.advance(5);
    expect(startedAt).toEqual([0]);
  });

  test("a start while a stop waits goes on with one loop, not with two", async () => {
    const counted = new Counted({ slow: true });
    counted.loop.start();
    await counted.clock.advance(0);
    const stopping = counted.loop.stop();
    counted.loop.start();
    await counted.end();
    await stopping;
    await counted.clock.advance(10);
    expect(counted.startedAt).toEqual([0, 10]);
    expect(counted.mostAtOnce).toBe(1);
  });

  test("an error decides about the next run and ends nothing", async () => {
    let failures = 2;
    const { loop, clock, startedAt } = new Counted({
      fail: () => (failures-- > 0 ? new Error("once more") : null),
    });
    loop.start();
    await clock.advance(25);
    expect(startedAt).toEqual([0, 7, 14, 24]);
  });

  test("work that throws before it returns a promise is an error like others", async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const loop = new Loop(
      clock,
      () => {
        throw new Error("at once");
      },
      (error) => {
        errors.push(error);
        return 10;
      },
    );
    loop.start();
    await clock.advance(15);
    expect(errors).toHaveLength(2);
    await loop.stop();
  });

  test("a timer that comes early only makes it run early", async () => {
    const { loop, clock, startedAt } = new Counted();
    clock.earlyMs = 3;
    loop.start();
    await clock.advance(20);
    expect(startedAt).toEqual([0, 7, 14]);
  });

  test("in whatever order it is started, nudged and stopped: runs never overlap and none begins after a stop", async () => {
    const call = fc.constantFrom("start", "stop", "nudge", "end", "time");
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
        const counted = new Counted({ slow: true, everyMs: 5 });
        const stops: Promise<void>[] = [];
        let active = false;
        for (const each of calls) {
          const begun = counted.startedAt.length;
          if (each === "start") counted.loop.start();
          if (each === "stop") stops.push(counted.loop.stop());
          if (each === "nudge") counted.loop.nudge();
          if (each === "end") await counted.end();
          if (each === "start") active = true;
          if (each === "stop") active = false;
          await counted.clock.advance(each === "time" ? 5 : 0);
          if (!active) expect(counted.startedAt).toHaveLength(begun);
        }
        await counted.end();
        await counted.clock.advance(5);
        if (active) expect(counted.running).toBe(1);
        expect(counted.mostAtOnce).toBeLessThanOrEqual(1);
        stops.push(counted.loop.stop());
        await counted.end();
        await Promise.all(stops);
        expect(counted.clock.pendingTimers).toBe(0);
      }),
      { seed: 9, numRuns: 300 },
    );
  });
});
