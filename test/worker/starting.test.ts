import { describe, expect, test } from "vitest";
import { KonveierError } from "../../src/core/errors.js";
import { defineJob } from "../../src/core/define-job.js";
import type { WorkerOptions } from "../../src/worker/worker.js";
import { Gate } from "./gate.js";
import { Rig, SHORT_LEASE } from "./rig.js";

const work = defineJob("work", { handler: () => undefined });

/** Lets the next call of `workers.seen` wait for the gate. */
function holdSeen(rig: Rig): Gate {
  const gate = new Gate();
  const { workers } = rig.store;
  const seen = workers.seen.bind(workers);
  workers.seen = async (worker) => {
    workers.seen = seen;
    await gate.promise;
    return seen(worker);
  };
  return gate;
}

/** Everything that a worker may want of a store is gone: no timer of it either. */
async function expectNothingLeft(rig: Rig): Promise<void> {
  await rig.konveier.close();
  expect(rig.clock.pendingTimers).toBe(0);
}

describe("a start", () => {
  test("is not needed to make a worker: that touches neither clock nor store", async () => {
    const rig = new Rig();
    rig.konveier.worker({ jobs: [work] });
    await rig.now();
    expect(rig.clock.pendingTimers).toBe(0);
    expect(await rig.store.workers.list(1_000)).toEqual([]);
  });

  test("SHD-06 at the same time as another is one start, and both wait for it", async () => {
    const rig = new Rig();
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
    const seen = holdSeen(rig);
    let resolved = 0;
    const both = [worker.start(), worker.start()].map((start) => start.then(() => (resolved += 1)));
    await rig.now();
    expect(resolved).toBe(0);
    seen.open();
    await Promise.all(both);
    await worker.start();
    expect(rig.log.of("worker.started")).toHaveLength(1);
    expect(await rig.store.workers.list(1_000)).toHaveLength(1);
  });

  test("SHD-07 that fails can be tried again, and leaves nothing behind", async () => {
    const rig = new Rig();
    const { workers } = rig.store;
    const seen = workers.seen.bind(workers);
    workers.seen = () => Promise.reject(new KonveierError("store_busy", "locked"));
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
    const both = await Promise.allSettled([worker.start(), worker.start()]);
    expect(both).toMatchObject([
      { status: "rejected", reason: { code: "store_busy" } },
      { status: "rejected", reason: { code: "store_busy" } },
    ]);
    expect(rig.clock.pendingTimers).toBe(0);
    expect(rig.log.names).toEqual([]);

    workers.seen = seen;
    await worker.start();
    await rig.konveier.enqueue(work, null);
    await rig.now();
    expect((await rig.counts()).completed).toBe(1);
    await expectNothingLeft(rig);
  });

  test("SHD-06 that meets a stop does not claim, and is over when the stop is", async () => {
    const rig = new Rig();
    const claims = rig.claims();
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
    const seen = holdSeen(rig);
    const starting = worker.start();
    const stopping = worker.stop();
    await rig.now();
    seen.open();
    await starting;
    expect(await stopping).toBe(0);
    await rig.clock.advance(5_000);
    expect(claims).toEqual([]);
    expect(await rig.store.workers.list(60_000)).toEqual([]);
    await expectNothingLeft(rig);
  });

  test("after a stop is refused, and a new worker works", async () => {
    const rig = new Rig();
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
    await worker.start();
    await worker.stop();
    await expect(worker.start()).rejects.toThrow("has been stopped");
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.konveier.enqueue(work, null);
    await rig.now();
    expect((await rig.counts()).completed).toBe(1);
  });

  test("makes the worker known, under a name that any host can have", async () => {
    const rig = new Rig();
    const id = "Basecamp’s-Computer <script> 🙂";
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], queues: ["a", "b"], id });
    await worker.start();
    expect(await rig.store.workers.list(1_000)).toMatchObject([
      { id, pid: process.pid, queues: ["a", "b"], names: ["work"], concurrency: 10, state: "active" },
    ]);
    await worker.stop();
    expect(await rig.store.workers.list(1_000)).toEqual([]);
  });
});

describe("options", () => {
  /** Pointers of the faults that a worker with these options is refused for. */
  function faults(options: Partial<Record<keyof WorkerOptions, unknown>>): string[] {
    try {
      new Rig().konveier.worker({ jobs: [work], ...options } as WorkerOptions);
    } catch (error) {
      if (error instanceof KonveierError) return error.faults.map(({ pointer }) => pointer);
      throw error;
    }
    return [];
  }

  test.each([0, -1, Number.NaN, Infinity, "10", 1e12, 99, 1.5])("LSE-16 leaseMs %s is refused", (leaseMs) => {
    expect(faults({ leaseMs })).toEqual(["/leaseMs"]);
  });

  test.each([0, -1, Number.NaN, Infinity, "10", 1.5, 1_001])("concurrency %s is refused", (concurrency) => {
    expect(faults({ concurrency })).toEqual(["/concurrency"]);
  });

  test.each([0, -1, 9, Number.NaN, Infinity, "10", 60_001])("LSE-16 pollMs %s is refused", (pollMs) => {
    expect(faults({ pollMs })).toEqual(["/pollMs"]);
  });

  test("every fault is named at once", () => {
    expect(
      faults({
        jobs: [],
        concurrency: 0,
        pollMs: 0,
        id: "",
        queues: ["ok", "*", " "],
        leaseMs: 0,
      }).toSorted(),
    ).toEqual(["/concurrency", "/id", "/jobs", "/leaseMs", "/pollMs", "/queues/1", "/queues/2"]);
    expect(faults({ jobs: [work, work], queues: [] })).toEqual(["/jobs", "/queues"]);
  });

  test("a refused worker changes nothing of the others", async () => {
    const rig = new Rig();
    expect(() => rig.konveier.worker({ jobs: [work], concurrency: 0 })).toThrow("/concurrency");
    await expectNothingLeft(rig);
  });
});
