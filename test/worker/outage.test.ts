import { describe, expect, test } from "vitest";
import { KonveierError } from "../../src/core/errors.js";
import type { Settlement } from "../../src/store/claims.js";
import { defineJob } from "../../src/core/define-job.js";
import { Gates } from "./gate.js";
import { LEASE_MS, POLL_MS, Rig, SHORT_LEASE } from "./rig.js";

/**
 * Makes every write of the worker and the loops fail until it is repaired; reads go on, as on a full disk.
 * Counts claims and settlements.
 */
function breakStore({ store }: Rig, code: "store_busy" | "store_full") {
  const { claims, workers, maintenance } = store;
  const calls = { claim: 0, settle: 0 };
  const fail = () => Promise.reject(new KonveierError(code, "out of order"));
  const counted = (name: keyof typeof calls) => () => {
    calls[name] += 1;
    return fail();
  };
  Object.assign(claims, { claim: counted("claim"), settle: counted("settle"), extend: fail, reap: fail });
  Object.assign(workers, { seen: fail, gone: fail });
  Object.assign(maintenance, { prune: fail });
  return {
    calls,
    repair() {
      // The real ones are those of the class.
      for (const noun of [claims, workers, maintenance]) {
        for (const name of Object.keys(noun)) {
          if (Reflect.get(noun, name) === fail || name in calls) Reflect.deleteProperty(noun, name);
        }
      }
    },
  };
}

/** Two handlers run; the store breaks; they end. */
async function outage(code: "store_busy" | "store_full") {
  const rig = new Rig();
  const gates = new Gates();
  const runs: string[] = [];
  const work = defineJob("work", {
    handler: ({ job }) => {
      runs.push(job.id);
      return gates.wait();
    },
  });
  await rig.konveier.enqueueMany(new Array<{ name: string }>(4).fill({ name: "work" }));
  const worker = rig.konveier.worker({ jobs: [work], concurrency: 2, pollMs: POLL_MS, leaseMs: 120_000 });
  await worker.start();
  await rig.now();
  expect(runs).toEqual(["1", "2"]);
  const broken = breakStore(rig, code);
  gates.at(0).open("first");
  gates.at(1).open("second");
  await rig.now();
  return { rig, gates, runs, broken, worker };
}

describe("while the store fails", () => {
  test.each(["store_busy", "store_full"] as const)(
    "%s: outcomes are said again until they are taken, and nothing runs twice",
    async (code) => {
      const { rig, gates, runs, broken } = await outage(code);
      await rig.clock.advance(60_000);
      expect(await rig.counts()).toMatchObject({ running: 2, pending: 2, completed: 0 });
      expect(runs).toHaveLength(2);
      // 100 ms, doubled up to 2 s.
      expect(broken.calls.settle).toBeGreaterThan(25);
      expect(broken.calls.settle).toBeLessThan(40);

      broken.repair();
      await rig.clock.advance(2_000);
      expect(runs).toEqual(["1", "2", "3", "4"]);
      gates.openAll();
      await rig.now();
      expect(await rig.counts()).toMatchObject({ completed: 4, running: 0 });
      expect(await rig.konveier.jobs.result("1")).toBe("first");
      expect((await rig.konveier.jobs.list()).items.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
      expect(rig.log.of("job.completed")).toHaveLength(4);
    },
  );

  test("claims fall back to the poll, also when jobs arrive", async () => {
    const { rig, broken } = await outage("store_busy");
    const before = broken.calls.claim;
    await rig.clock.advance(30_000);
    const polls = 30_000 / POLL_MS;
    expect(broken.calls.claim - before).toBeGreaterThanOrEqual(polls - 1);
    expect(broken.calls.claim - before).toBeLessThanOrEqual(polls + 1);
  });

  test("it is told once in ten seconds, and its end once", async () => {
    const { rig, broken } = await outage("store_full");
    await rig.clock.advance(35_000);
    expect(rig.log.of("store.unavailable")).toHaveLength(4);
    expect(rig.log.of("store.unavailable")[0]?.error).toMatchObject({ code: "store_full" });
    expect(rig.log.of("store.recovered")).toHaveLength(0);
    broken.repair();
    await rig.clock.advance(35_000);
    expect(rig.log.of("store.unavailable")).toHaveLength(4);
    expect(rig.log.of("store.recovered")).toHaveLength(1);
    expect(rig.log.names).not.toContain("internal.error");
  });

  test("an outcome that nobody would take any more is dropped when the store is back", async () => {
    const { rig, runs, broken } = await outage("store_busy");
    await rig.konveier.jobs.cancel("1");
    broken.repair();
    await rig.clock.advance(2_000);
    expect((await rig.job("1")).state).toBe("cancelled");
    expect((await rig.job("2")).state).toBe("completed");
    expect(rig.log.of("lease.lost")).toMatchObject([{ id: "1", reason: "cancelled" }]);
    expect(runs).toHaveLength(4);
  });

  test("handlers whose leases can no longer be kept are aborted, and take nothing with them", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const signals: AbortSignal[] = [];
    const work = defineJob("work", {
      handler: ({ signal }) => {
        signals.push(signal);
        return gates.wait();
      },
    });
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    const broken = breakStore(rig, "store_busy");
    await rig.clock.advance(LEASE_MS);
    expect(signals[0]!.reason).toMatchObject({ code: "lease_lost" });
    await rig.clock.advance(LEASE_MS);
    broken.repair();
    await rig.clock.advance(20_000);
    expect(gates.started).toBe(2);
    gates.openAll();
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  test("a stop says the last outcomes for a while, then gives up and leaves no timer", async () => {
    const { rig, worker } = await outage("store_full");
    let stopped = false;
    const stopping = worker.stop({ graceMs: 0 }).then(() => (stopped = true));
    await rig.clock.advance(4_900);
    expect(stopped).toBe(false);
    await rig.clock.advance(2_000);
    expect(stopped).toBe(true);
    await stopping;
    await rig.konveier.close();
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

describe("a settlement that fails for a reason of its own", () => {
  test("harms only its own job", async () => {
    const rig = new Rig();
    const { claims } = rig.store;
    const settle = claims.settle.bind(claims);
    const poisoned = (settlement: Settlement) => settlement.id === "2";
    claims.settle = (settlements) =>
      settlements.some(poisoned) ? Promise.reject(new TypeError("a defect")) : settle(settlements);
    const work = defineJob("work", { handler: ({ job }) => job.id });
    await rig.konveier.enqueueMany(new Array<{ name: string }>(3).fill({ name: "work" }));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    expect(await rig.counts()).toMatchObject({ completed: 2, running: 1 });
    expect(rig.log.of("lease.lost")).toMatchObject([{ id: "2" }]);
    expect(rig.log.of("internal.error").length).toBeGreaterThan(0);
    expect(rig.log.of("store.unavailable")).toEqual([]);

    claims.settle = settle;
    await rig.clock.advance(LEASE_MS + 5_000);
    expect(await rig.job("2")).toMatchObject({ state: "completed", attempt: 2 });
    expect(await rig.konveier.jobs.attempts("2")).toMatchObject([
      { outcome: "lost" },
      { outcome: "completed" },
    ]);
  });
});
