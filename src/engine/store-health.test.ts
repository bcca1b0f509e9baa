import { describe, expect, test } from "vitest";
import { EventLog } from "../../test/support/event-log.js";
import { FakeClock } from "../../test/support/fake-clock.js";
import { KonveierError } from "../core/errors.js";
import { Events } from "../core/events.js";
import { StoreHealth } from "./store-health.js";

const FULL = new KonveierError("store_full", "The disk is full");

function setUp() {
  const clock = new FakeClock();
  const events = new Events();
  return { clock, log: new EventLog(events), health: new StoreHealth(clock, events) };
}

describe("StoreHealth", () => {
  test("SQL-04 tells an outage once, then every ten seconds, however many meet it", () => {
    const { clock, log, health } = setUp();
    for (let second = 0; second < 25; second += 1) {
      for (const who of ["the reaper", "a heartbeat", "claiming jobs"]) health.failed(FULL, who);
      clock.block(1_000);
    }
    expect(log.of("store.unavailable")).toEqual([{ error: FULL }, { error: FULL }, { error: FULL }]);
    health.wrote();
    health.wrote();
    expect(log.names.at(-1)).toBe("store.recovered");
    expect(log.of("store.recovered")).toHaveLength(1);
  });

  test("SQL-04 outages that begin and end all the time are told every ten seconds at the most", () => {
    const { clock, log, health } = setUp();
    for (let times = 0; times < 200; times += 1) {
      health.failed(FULL, "acknowledging");
      clock.block(50);
      health.wrote();
      clock.block(50);
    }
    expect(log.names).toEqual([
      "store.unavailable",
      "store.recovered",
      "store.unavailable",
      "store.recovered",
    ]);
  });

  test("nothing is told while all is well", () => {
    const { log, health } = setUp();
    health.wrote();
    expect(log.names).toEqual([]);
    expect(health.sinceFailureMs()).toBe(Infinity);
  });

  test("knows how long ago the last failure was, whatever worked since", () => {
    const { clock, health } = setUp();
    health.failed(FULL, "a test");
    clock.block(5_000);
    health.wrote();
    expect(health.sinceFailureMs()).toBe(5_000);
    health.failed(FULL, "a test");
    expect(health.sinceFailureMs()).toBe(0);
  });

  test("a defect is told every time, a store that was closed on purpose never", () => {
    const { log, health } = setUp();
    const defect = new TypeError("undefined is not a function");
    health.failed(defect, "the pruner");
    health.failed(defect, "the pruner");
    health.failed(new KonveierError("store_closed", "closed"), "the pruner");
    expect(log.names).toEqual(["internal.error", "internal.error"]);
    expect(log.of("internal.error")[0]).toEqual({ error: defect, during: "the pruner" });
  });
});
