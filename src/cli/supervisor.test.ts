import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import { Supervisor, type Stoppable } from "./supervisor.js";

/** A service whose stop ends when the test says so. */
class FakeService implements Stoppable {
  readonly graces: number[] = [];
  announced = 0;
  end: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve, reject) => {
    this.end = resolve;
    this.fail = reject;
  });

  announceStop(): void {
    this.announced += 1;
  }

  stop(graceMs: number): Promise<void> {
    this.graces.push(graceMs);
    return this.#stopped;
  }
}

let clock: FakeClock;
let service: FakeService;
let ends: (number | "killed")[];
let log: string[];
let supervisor: Supervisor;

beforeEach(() => {
  clock = new FakeClock();
  service = new FakeService();
  ends = [];
  log = [];
  supervisor = supervisorWith(0);
});

function supervisorWith(delayMs: number): Supervisor {
  return new Supervisor(service, {
    logger: pino({}, { write: (line: string) => log.push((JSON.parse(line) as { event: string }).event) }),
    clock,
    delayMs,
    graceMs: 10_000,
    exit: (code) => ends.push(code),
    kill: () => ends.push("killed"),
  });
}

describe("Supervisor", () => {
  it("ends with 0 after a graceful stop", async () => {
    supervisor.signalled("SIGTERM");
    await clock.advance(9_000);
    expect(ends).toEqual([]);
    service.end();
    await clock.advance(60_000);
    expect(service.graces).toEqual([10_000]);
    expect(service.announced).toBe(0);
    expect(ends).toEqual([0]);
    expect(log).toEqual(["server.stopping", "server.stopped"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("takes a second signal in the same second for the same request", async () => {
    supervisor.signalled("SIGINT");
    clock.block(20);
    supervisor.signalled("SIGTERM");
    service.end();
    await clock.advance(0);
    expect(service.graces).toEqual([10_000]);
    expect(ends).toEqual([0]);
  });

  it("forces at a later signal, and ends with 1", async () => {
    supervisor.signalled("SIGTERM");
    await clock.advance(3_000);
    supervisor.signalled("SIGTERM");
    service.end();
    await clock.advance(0);
    expect(service.graces).toEqual([10_000, 0]);
    expect(ends).toEqual([1]);
  });

  it("ends a forced stop that hangs after two seconds", async () => {
    supervisor.signalled("SIGTERM");
    await clock.advance(3_000);
    supervisor.signalled("SIGTERM");
    await clock.advance(1_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([1]);
    expect(log.slice(-2)).toEqual(["server.stop_timeout", "server.stopped"]);
  });

  it("kills at the third request", async () => {
    supervisor.signalled("SIGTERM");
    await clock.advance(3_000);
    supervisor.signalled("SIGTERM");
    await clock.advance(500);
    supervisor.signalled("SIGTERM");
    expect(ends).toEqual(["killed"]);
  });

  it("ends a graceful stop that hangs", async () => {
    supervisor.signalled("SIGTERM");
    await clock.advance(30_000);
    expect(ends).toEqual([1]);
    expect(log).toContain("server.stop_timeout");
  });

  it("stops after a defect with less grace, and ends with 1", async () => {
    supervisor.defect(new Error("nobody caught this"));
    supervisor.defect(new Error("nor this"));
    service.end();
    await clock.advance(0);
    expect(service.graces[0]).toBe(5_000);
    expect(ends).toEqual([1]);
    expect(log).toEqual(["server.defect", "server.defect", "server.stopped"]);
  });

  it("ends with 1 when the stop fails", async () => {
    supervisor.signalled("SIGTERM");
    service.fail(new Error("the database is gone"));
    await clock.advance(0);
    expect(ends).toEqual([1]);
  });
});

describe("Supervisor with a delay", () => {
  beforeEach(() => {
    supervisor = supervisorWith(60_000);
  });

  it("announces the stop at once, and begins it when the delay is over, with the whole grace", async () => {
    supervisor.signalled("SIGTERM");
    expect(service.announced).toBe(1);
    await clock.advance(59_999);
    expect(service.graces).toEqual([]);
    await clock.advance(1);
    expect(service.graces).toEqual([10_000]);
    await clock.advance(21_999);
    expect(ends).toEqual([]);
    service.end();
    await clock.advance(0);
    expect([service.announced, ends]).toEqual([1, [0]]);
    expect(log).toEqual(["server.stopping", "server.stopped"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("takes echoes of the signal for nothing, and stops at once at a later one", async () => {
    supervisor.signalled("SIGTERM");
    clock.block(20);
    supervisor.signalled("SIGTERM");
    await clock.advance(2_000);
    expect(service.graces).toEqual([]);
    supervisor.signalled("SIGTERM");
    expect(service.graces).toEqual([0]);
    await clock.advance(1_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([1]);
    // The delay is over for good.
    await clock.advance(60_000);
    expect(service.graces).toEqual([0]);
  });

  it("does not wait after a defect, also one in the delay", async () => {
    supervisor.signalled("SIGTERM");
    supervisor.defect(new Error("nobody caught this"));
    expect(service.graces).toEqual([5_000]);
    service.end();
    await clock.advance(60_000);
    expect(service.graces).toEqual([5_000]);
    expect(ends).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
