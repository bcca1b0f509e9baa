import { describe, expect, test } from "vitest";
import { EventLog } from "../../../test/support/event-log.js";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { KonveierError } from "../../core/errors.js";
import type { JobRequest } from "../../core/job-request.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { createContext } from "../context.js";
import { enqueue, enqueueMany } from "../enqueue.js";
import { Background } from "./background.js";

const LEASE_MS = 1_000;
const REQUEST = { workerId: "w", queues: ["default"], names: null, max: 1_000, leaseMs: LEASE_MS } as const;

/** The loops over a store in memory. */
function setUp() {
  const clock = new FakeClock();
  const store = openSqliteStore(":memory:", { clock });
  const context = createContext(store, { clock, random: () => 0 });
  return { clock, store, context, log: new EventLog(context.events), background: new Background(context) };
}

const IMMEDIATE: Partial<JobRequest> = { backoff: { type: "fixed", delayMs: 0 } };

describe("the promoter", () => {
  test("CLM-12 makes a job pending in the millisecond in which it is due", async () => {
    const { clock, store, context, background } = setUp();
    background.start();
    await clock.advance(100);
    const job = await enqueue(context, { name: "work", delayMs: 123 });
    await clock.advance(122);
    expect((await store.jobs.get(job.id))?.state).toBe("scheduled");
    await clock.advance(1);
    expect((await store.jobs.get(job.id))?.state).toBe("pending");
    await background.stop();
  });

  test.each([1, 4, 10])(
    "CLK-04 a timer that comes %i ms early promotes nothing early, and does not spin",
    async (earlyMs) => {
      const { clock, store, context, background } = setUp();
      clock.earlyMs = earlyMs;
      let looks = 0;
      const nextDue = store.claims.nextDue.bind(store.claims);
      store.claims.nextDue = () => {
        looks += 1;
        return nextDue();
      };
      background.start();
      const job = await enqueue(context, { name: "work", delayMs: 200 });
      await clock.advance(199);
      expect((await store.jobs.get(job.id))?.state).toBe("scheduled");
      await clock.advance(1);
      expect((await store.jobs.get(job.id))?.state).toBe("pending");
      expect(looks).toBeLessThan(50);
      await background.stop();
    },
  );

  test("promotes more than one batch without waiting in between", async () => {
    const { clock, store, context, background } = setUp();
    await enqueueMany(context, new Array<JobRequest>(1_000).fill({ name: "work", delayMs: 50 }));
    await enqueueMany(context, new Array<JobRequest>(700).fill({ name: "work", delayMs: 50 }));
    background.start();
    await clock.advance(50);
    expect((await store.queues.get("default"))?.counts).toMatchObject({ scheduled: 0, pending: 1_700 });
    await background.stop();
  });

  test("a wall clock that steps forward makes jobs due within half a second", async () => {
    const { clock, store, context, background } = setUp();
    background.start();
    await clock.advance(0);
    await enqueue(context, { name: "work", delayMs: 3_600_000 });
    await clock.advance(10);
    clock.stepWall(3_600_000);
    await clock.advance(500);
    expect((await store.queues.get("default"))?.counts.pending).toBe(1);
    await background.stop();
  });
});

describe("the reaper", () => {
  test("LSE-04 ends leases with no worker around", async () => {
    const { clock, store, context, log, background } = setUp();
    await enqueue(context, { name: "work", maxAttempts: 1 });
    background.start();
    await store.claims.claim(REQUEST);
    await clock.advance(2 * LEASE_MS);
    expect((await store.queues.get("default"))?.counts).toMatchObject({ running: 0, dead: 1 });
    expect(log.names).toEqual(["job.lost", "job.dead"]);
    await background.stop();
  });

  test("works off more than one batch without waiting in between", async () => {
    const { clock, store, context, background } = setUp();
    await enqueueMany(context, new Array<JobRequest>(700).fill({ name: "work", ...IMMEDIATE }));
    await store.claims.claim(REQUEST);
    background.start();
    await clock.advance(LEASE_MS);
    expect((await store.queues.get("default"))?.counts).toMatchObject({ running: 0, pending: 700 });
    await background.stop();
  });

  test("CLK-03 LSE-10 a wall clock that steps forward takes no lease whose holder lives", async () => {
    const { clock, store, context, background } = setUp();
    await enqueueMany(context, [{ name: "alive" }, { name: "crashed" }]);
    const claimed = await store.claims.claim({ ...REQUEST, leaseMs: 30_000 });
    const alive = claimed.find(({ name }) => name === "alive")!;
    const crashed = claimed.find(({ name }) => name === "crashed")!;
    background.start();
    await clock.advance(2_000);
    clock.stepWall(3_600_000);
    await clock.advance(10_000);
    expect((await store.jobs.get(crashed.id))?.state).toBe("running");
    await store.claims.extend([alive], 30_000);
    await clock.advance(4_000);
    expect((await store.jobs.get(alive.id))?.state).toBe("running");
    expect((await store.jobs.get(crashed.id))?.state).not.toBe("running");
    await background.stop();
  });

  test("LSE-10 after a suspend the holders of leases come first", async () => {
    const { clock, store, context, background } = setUp();
    await enqueueMany(context, [
      { name: "work", ...IMMEDIATE },
      { name: "work", ...IMMEDIATE },
    ]);
    const [alive, crashed] = await store.claims.claim(REQUEST);
    background.start();
    await clock.advance(10);
    clock.block(600_000);
    await clock.advance(2_000);
    expect((await store.queues.get("default"))?.counts.running).toBe(2);
    expect(await store.claims.extend([alive!], 60_000)).toMatchObject([{ ok: true }]);
    await clock.advance(2_000);
    expect(await store.claims.current(alive!)).toMatchObject({ id: alive!.id });
    expect(await store.claims.current(crashed!)).toBe("reclaimed");
    await background.stop();
  });

  test("SQL-04 after an outage of the store the holders of leases come first", async () => {
    const { clock, store, context, background } = setUp();
    await enqueue(context, { name: "work", ...IMMEDIATE });
    await store.claims.claim(REQUEST);
    background.start();
    await clock.advance(10);
    const expired = store.claims.expired.bind(store.claims);
    store.claims.expired = () => Promise.reject(new KonveierError("store_full", "full"));
    await clock.advance(10_000);
    store.claims.expired = expired;
    await clock.advance(2_500);
    expect((await store.queues.get("default"))?.counts.running).toBe(1);
    await clock.advance(3_000);
    expect((await store.queues.get("default"))?.counts.running).toBe(0);
    await background.stop();
  });
});

describe("the pruner", () => {
  test("GRW-04 GRW-06 removes what retention no longer covers, however much that is", async () => {
    const { clock, store, context } = setUp();
    const background = new Background(context, { completedMs: 3_600_000, maxCompleted: 100 });
    for (let round = 0; round < 3; round += 1) {
      await enqueueMany(context, new Array<JobRequest>(1_000).fill({ name: "work" }));
      const jobs = await store.claims.claim(REQUEST);
      await store.claims.settle(
        jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
      );
    }
    background.start();
    await clock.advance(10_000);
    expect((await store.queues.get("default"))?.counts.completed).toBe(100);
    await clock.advance(3_600_000);
    expect((await store.queues.get("default"))?.counts.completed).toBe(0);
    await background.stop();
  });

  test("GRW-09 removes records of workers and old roll-ups from time to time", async () => {
    const { clock, store, context, background } = setUp();
    await enqueue(context, { name: "work" });
    const worker = {
      id: "w",
      claimant: null,
      host: "h",
      pid: 1,
      queues: ["default"],
      names: null,
      concurrency: 1,
      running: 0,
    };
    await store.workers.seen({ ...worker, state: "active" });
    background.start();
    clock.stepWall(40 * 24 * 3_600_000);
    await clock.advance(1_200_000);
    expect(await store.workers.list(1e12)).toEqual([]);
    expect(await store.stats.series({ from: 0, to: clock.now(), step: "minute" }, "lanes")).toEqual([]);
    await background.stop();
  });
});

describe("the lookout", () => {
  test("RTY-12 tells once when jobs begin to wait for a worker that nobody runs", async () => {
    const { clock, store, context, log, background } = setUp();
    await enqueue(context, { name: "nope" });
    background.start();
    await clock.advance(29_000);
    expect(log.names).toEqual([]);
    await clock.advance(300_000);
    expect(log.of("jobs.unhandled")).toEqual([{ queue: "default", name: "nope", pending: 1 }]);
    const [job] = await store.claims.claim(REQUEST);
    await clock.advance(0);
    await store.claims.settle([
      { verb: "complete", id: job!.id, token: job!.token, result: null, resultProblem: null },
    ]);
    await clock.advance(60_000);
    await enqueue(context, { name: "nope" });
    await clock.advance(60_000);
    expect(log.of("jobs.unhandled")).toHaveLength(2);
    await background.stop();
  });
});

describe("the loops together", () => {
  test("SHD-06 SHD-09 start and stop in any order, and leave no timer behind", async () => {
    const { clock, background } = setUp();
    await background.stop();
    background.start();
    background.start();
    await clock.advance(1_000);
    await Promise.all([background.stop(), background.stop()]);
    expect(clock.pendingTimers).toBe(0);
    background.start();
    await clock.advance(1_000);
    await background.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  test("SQL-04 an outage is told every ten seconds, with no busy loop, and ends by itself", async () => {
    const { clock, store, log, background } = setUp();
    const full = new KonveierError("store_full", "full");
    const real = { ...bound(store.claims), prune: store.maintenance.prune.bind(store.maintenance) };
    let calls = 0;
    const fail = () => {
      calls += 1;
      return Promise.reject(full);
    };
    Object.assign(store.claims, { promote: fail, expired: fail });
    store.maintenance.prune = fail;
    background.start();
    await clock.advance(59_000);
    expect(log.of("store.unavailable")).toHaveLength(6);
    expect(calls).toBeLessThan(60 * 4);
    Object.assign(store.claims, { promote: real.promote, expired: real.expired });
    store.maintenance.prune = real.prune;
    await clock.advance(1_000);
    expect(log.of("store.recovered")).toHaveLength(1);
    await background.stop();
  });
});

function bound(claims: ReturnType<typeof setUp>["store"]["claims"]) {
  return { promote: claims.promote.bind(claims), expired: claims.expired.bind(claims) };
}
