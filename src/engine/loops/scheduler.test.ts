import { describe, expect, test } from "vitest";
import { EventLog } from "../../../test/support/event-log.js";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { KonveierError } from "../../core/errors.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { createContext } from "../context.js";
import { putSchedule } from "../schedules/put.js";
import type { ScheduleRequest } from "../schedules/request.js";
import { Background } from "./background.js";

const DAY = 24 * 3_600_000;

function setUp() {
  const clock = new FakeClock();
  const store = openSqliteStore(":memory:", { clock });
  const context = createContext(store, { clock, random: () => 0 });
  const log = new EventLog(context.events);
  const background = new Background(context);
  const put = (request: Omit<ScheduleRequest, "job">, key = "tick") =>
    putSchedule(context, key, { job: { name: "work" }, ...request }, "api");
  /** Slots fired so far, in milliseconds from the start. */
  const fired = () => log.of("schedule.fired").map(({ slot }) => slot - T0);
  return { clock, store, context, log, background, put, fired };
}

describe("the scheduler", () => {
  test("fires in the millisecond of the slot, and goes on", async () => {
    const { clock, background, put, fired } = setUp();
    background.start();
    await clock.advance(100);
    await put({ everyMs: 1_000 });
    await clock.advance(899);
    expect(fired()).toEqual([]);
    await clock.advance(1);
    expect(fired()).toEqual([1_000]);
    await clock.advance(3_000);
    expect(fired()).toEqual([1_000, 2_000, 3_000, 4_000]);
    await background.stop();
  });

  test.each([1, 4, 10])(
    "CLK-04 a timer that comes %i ms early fires no slot early or twice",
    async (earlyMs) => {
      const { clock, background, put, fired, store } = setUp();
      clock.earlyMs = earlyMs;
      let looks = 0;
      const due = store.schedules.due.bind(store.schedules);
      store.schedules.due = (limit) => {
        looks += 1;
        return due(limit);
      };
      background.start();
      await put({ cron: "* * * * * *" });
      await clock.advance(999);
      expect(fired()).toEqual([]);
      await clock.advance(5_001);
      expect(fired()).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
      expect(looks).toBeLessThan(300);
      await background.stop();
    },
  );

  test("CLK-01 a slot a year away needs no long timer and runs on its instant, once", async () => {
    const { clock, background, put, fired } = setUp();
    await put({ cron: "0 0 1 1 *" });
    background.start();
    await clock.advance(1_000);
    // FakeClock refuses timers that Node would fire at once; the year itself passes in one step.
    clock.block(361 * DAY - 1_001);
    await clock.advance(1_000);
    expect(fired()).toEqual([361 * DAY]);
    await clock.advance(10_000);
    expect(fired()).toHaveLength(1);
    await background.stop();
  });

  test("CLK-03 after a freeze there is one catch-up run, then the cadence", async () => {
    const { clock, background, put, fired } = setUp();
    await put({ everyMs: 1_000 });
    background.start();
    await clock.advance(2_000);
    clock.block(110_000);
    await clock.advance(2_000);
    expect(fired()).toEqual([1_000, 2_000, 112_000, 113_000, 114_000]);
    await background.stop();
  });

  test("a clock that steps forward is noticed within half a second", async () => {
    const { clock, background, put, fired } = setUp();
    await put({ cron: "0 12 * * *" });
    background.start();
    await clock.advance(1_000);
    clock.stepWall(12 * 3_600_000);
    await clock.advance(500);
    expect(fired()).toEqual([12 * 3_600_000]);
    await background.stop();
  });

  test("goes on after an outage of the store, without a busy loop", async () => {
    const { clock, background, put, fired, store, log } = setUp();
    await put({ everyMs: 1_000 });
    const due = store.schedules.due.bind(store.schedules);
    let looks = 0;
    store.schedules.due = () => {
      looks += 1;
      return Promise.reject(new KonveierError("store_io", "the disk is gone"));
    };
    background.start();
    await clock.advance(10_000);
    expect(looks).toBeLessThan(30);
    expect(log.of("store.unavailable").length).toBeGreaterThan(0);
    store.schedules.due = due;
    await clock.advance(1_000);
    expect(fired()).not.toEqual([]);
    await background.stop();
  });

  test("starts a waiting slot within half a second of the job's end", async () => {
    const { clock, background, put, fired, store } = setUp();
    await put({ everyMs: 10_000, overlap: "queue" });
    background.start();
    await clock.advance(20_000);
    expect(fired()).toEqual([10_000]);
    await store.jobs.cancel("1");
    await clock.advance(500);
    expect(fired()).toEqual([10_000, 20_000]);
    await background.stop();
  });
});
