import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import { LeaseLostError } from "./errors.js";
import type { ClaimedJob } from "./job.js";
import { JobTimeoutError, Run, WorkerStoppingError } from "./run.js";

function setUp() {
  const clock = new FakeClock();
  const job = { id: "7", token: 3 } as ClaimedJob;
  return { clock, run: new Run(job, clock, clock.monotonic() + 1_000) };
}

describe("the signal", () => {
  test("is one and the same, however often it is asked for", () => {
    const { run } = setUp();
    expect(run.signal).toBe(run.signal);
    expect(run.signal.aborted).toBe(false);
  });

  test("tells of an abort before and after it was made", () => {
    const reason = new JobTimeoutError(5);
    const early = setUp().run;
    early.abort(reason);
    expect(early.signal.reason).toBe(reason);
    const late = setUp().run;
    const { signal } = late;
    late.abort(reason);
    expect(signal.reason).toBe(reason);
  });

  test("keeps the first reason", () => {
    const { run } = setUp();
    const heard: unknown[] = [];
    run.onAbort((reason) => heard.push(reason));
    run.abort(new WorkerStoppingError());
    run.lose("gone");
    expect(run.signal.reason).toBeInstanceOf(WorkerStoppingError);
    expect(heard).toHaveLength(1);
    expect(run.lost).toBe("gone");
  });

  test("aborts when it is read after the lease, in the very millisecond of its end", () => {
    const { clock, run } = setUp();
    clock.block(999);
    expect(run.signal.aborted).toBe(false);
    clock.block(1);
    expect(run.signal.reason).toEqual(new LeaseLostError("7", 3, "reclaimed"));
    // Only the store can say that it is really lost.
    expect(run.lost).toBeNull();
  });

  test("follows an extended lease, and no step of the wall clock", () => {
    const { clock, run } = setUp();
    run.extended(clock.monotonic() + 5_000);
    clock.stepWall(1e9);
    clock.block(4_999);
    expect(run.signal.aborted).toBe(false);
    clock.block(1);
    expect(run.signal.aborted).toBe(true);
  });
});

test("an abort that has been is told to whoever listens later", () => {
  const { run } = setUp();
  run.lose("cancelled");
  const heard: unknown[] = [];
  run.onAbort((reason) => heard.push(reason));
  expect(heard).toEqual([new LeaseLostError("7", 3, "cancelled")]);
});

test("the end of a claim is decided once", () => {
  const { run } = setUp();
  expect([run.takeDecision(), run.takeDecision()]).toEqual([true, false]);
});
