import { describe, expect, test } from "vitest";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { JOB_STATES } from "../../core/states.js";
import { openConnection } from "./connection.js";
import { ChangeFeed } from "./change-feed.js";
import { Journal } from "./journal.js";
import { Ledger } from "./ledger.js";
import { migrate } from "./migrate.js";
import { Sequences } from "./sequences.js";

function setUp() {
  const db = openConnection(":memory:", "normal");
  migrate(db);
  const sequences = new Sequences(db, () => undefined);
  const changes = new ChangeFeed(db, new FakeClock());
  const journal = new Journal(db, sequences, changes, () => undefined);
  return {
    ledger: new Ledger(db, journal, changes, () => undefined),
    counts: () =>
      db.prepare<[], unknown[]>("SELECT queue, name, state, n FROM counts ORDER BY 1, 2, 3").raw().all(),
    events: () =>
      db
        .prepare<[], unknown[]>("SELECT minute, queue, name, event, n FROM minute_events ORDER BY 1, 2, 3, 4")
        .raw()
        .all(),
    durations: () =>
      db
        .prepare<[], unknown[]>("SELECT kind, bucket, n, sum_ms FROM minute_durations ORDER BY 1, 2")
        .raw()
        .all(),
  };
}

describe("Ledger", () => {
  test("adds up what was reported and writes it once", () => {
    const { ledger, counts, events } = setUp();
    for (let n = 0; n < 3; n += 1) ledger.lane("q", "a").inserted(1, "pending");
    ledger.lane("q", "a").moved(1, "claim", "pending", "running", 1);
    ledger.lane("q", "b").inserted(1, "scheduled");
    ledger.flush(T0 + 59_999);
    ledger.flush(T0 + 59_999);
    expect(counts()).toEqual([
      ["q", "a", "pending", 2],
      ["q", "a", "running", 1],
      ["q", "b", "scheduled", 1],
    ]);
    expect(events()).toEqual([
      [T0, "q", "a", "enqueued", 3],
      [T0, "q", "b", "enqueued", 1],
    ]);
  });

  test("counters that were flushed early are not counted again", () => {
    const { ledger, counts } = setUp();
    ledger.lane("q", "a").inserted(1, "pending");
    ledger.flushCounts();
    ledger.lane("q", "a").inserted(1, "pending");
    ledger.flushCounts();
    ledger.flush(T0);
    expect(counts()).toEqual([["q", "a", "pending", 2]]);
  });

  test("what was cleared is forgotten, and the lane works on", () => {
    const { ledger, counts, events, durations } = setUp();
    const lane = ledger.lane("q", "a");
    lane.inserted(1, "pending");
    lane.duration("wait", 5);
    ledger.clear();
    ledger.lane("q", "a").inserted(1, "pending");
    ledger.flush(T0);
    expect(counts()).toEqual([["q", "a", "pending", 1]]);
    expect(events()).toEqual([[T0, "q", "a", "enqueued", 1]]);
    expect(durations()).toEqual([]);
  });

  test("a change that the state machine does not know is refused", () => {
    const { ledger } = setUp();
    const lane = ledger.lane("q", "a");
    expect(() => {
      lane.moved(1, "complete", "pending", "completed", 1);
    }).toThrow(/Illegal transition/);
    expect(lane.counts).toEqual(JOB_STATES.map(() => 0));
  });

  test("durations fall into their bucket, bounds included, and are never negative", () => {
    const { ledger, durations } = setUp();
    const lane = ledger.lane("q", "a");
    for (const ms of [-5, 0, 5, 6, 10, 3_600_000, 3_600_001]) lane.duration("run", ms);
    lane.duration("wait", 1);
    ledger.flush(T0);
    expect(durations()).toEqual([
      ["run", 0, 3, 5],
      ["run", 1, 2, 16],
      ["run", 15, 1, 3_600_000],
      ["run", 16, 1, 3_600_001],
      ["wait", 0, 1, 1],
    ]);
  });

  test("PAY-07 names that objects have already are lanes like others", () => {
    const { ledger, counts } = setUp();
    for (const name of ["constructor", "toString", "hasOwnProperty"])
      ledger.lane(name, name).inserted(1, "pending");
    ledger.flush(T0);
    expect(counts()).toHaveLength(3);
  });

  test("GRW-09 a flood of names is not kept in memory, and every one is counted", () => {
    const { ledger, counts } = setUp();
    for (let n = 0; n < 2_500; n += 1) {
      ledger.lane(`queue-${n}`, "a").inserted(1, "pending");
      ledger.lane("q", `name-${n}`).inserted(1, "pending");
      if (n % 500 === 0) ledger.flush(T0);
    }
    ledger.flush(T0);
    expect(counts()).toHaveLength(5_000);
    ledger.lane("queue-0", "a").deleted(1, "pending", 0);
    ledger.flush(T0);
    expect(counts()).toContainEqual(["queue-0", "a", "pending", 0]);
  });
});
