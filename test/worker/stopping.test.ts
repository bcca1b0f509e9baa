import { describe, expect, test } from "vitest";
import { ABORT_GRACE_MS, DEFAULT_GRACE_MS } from "../../src/core/defaults.js";
import { KonveierError } from "../../src/core/errors.js";
import { defineJob, type JobContext } from "../../src/core/define-job.js";
import { WorkerStoppingError } from "../../src/core/run.js";
import { Gate, Gates } from "./gate.js";
import { HEARTBEAT_MS, LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

/** A worker with one running job. */
async function setUp() {
  const rig = new Rig();
  const gates = new Gates();
  const contexts: JobContext[] = [];
  const work = defineJob("work", {
    handler: (context) => {
      contexts.push(context);
      return gates.wait();
    },
  });
  const { id } = await rig.konveier.enqueue(work, null);
  const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
  await worker.start();
  await rig.now();
  return { rig, gates, contexts, work, worker, id };
}

/** What a promise has come to, without waiting for it. */
function watch<T>(promise: Promise<T>): { done: boolean; value?: T } {
  const watched: { done: boolean; value?: T } = { done: false };
  promise.then(
    (value) => {
      watched.done = true;
      watched.value = value;
    },
    () => undefined,
  );
  return watched;
}

describe("a stop waits for handlers", () => {
  test("SHD-01 and stores how they end, claiming nothing more", async () => {
    const { rig, gates, work, worker, id } = await setUp();
    const next = await rig.konveier.enqueue(work, null, { delayMs: 100 });
    const stopping = watch(worker.stop({ graceMs: 60_000 }));
    await rig.clock.advance(500);
    expect(stopping.done).toBe(false);
    gates.at(0).fail(new Error("boom"));
    await rig.now();
    expect(stopping).toEqual({ done: true, value: 0 });
    expect(await rig.job(id)).toMatchObject({
      state: "scheduled",
      attempt: 1,
      lastError: { message: "boom" },
    });
    expect(await rig.job(next.id)).toMatchObject({ state: "pending", attempt: 0 });
    expect(rig.log.of("worker.stopped")).toEqual([{ workerId: worker.id, released: 0 }]);
  });

  test("and keeps their leases meanwhile", async () => {
    const { rig, gates, worker, id } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 20 * LEASE_MS }));
    for (let lease = 0; lease < 10; lease += 1) {
      await rig.clock.advance(LEASE_MS);
      expect((await rig.job(id)).leaseExpiresAt).toBeGreaterThan(
        rig.clock.now() + LEASE_MS - HEARTBEAT_MS - 1,
      );
    }
    expect(await rig.store.workers.list(60_000)).toMatchObject([{ state: "stopping", running: 1 }]);
    gates.at(0).open("done");
    await rig.now();
    expect(stopping.done).toBe(true);
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  test("ten seconds by default, then aborts; one that throws then gives its job back", async () => {
    const { rig, gates, contexts, worker, id } = await setUp();
    const { signal } = contexts[0]!;
    const stopping = watch(worker.stop());
    await rig.clock.advance(DEFAULT_GRACE_MS - 1);
    expect(signal.aborted).toBe(false);
    await rig.clock.advance(1);
    expect(signal.reason).toBeInstanceOf(WorkerStoppingError);
    gates.at(0).fail(signal.reason);
    await rig.now();
    expect(stopping).toEqual({ done: true, value: 1 });
    expect(await rig.job(id)).toMatchObject({ state: "pending", attempt: 0, lastError: null });
    expect(await rig.konveier.jobs.attempts(id)).toEqual([]);
    expect(rig.log.about(id)).toEqual(["job.released"]);
  });

  test("a handler that succeeds in its last moments has succeeded", async () => {
    const { rig, gates, worker, id } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 1_000 }));
    await rig.clock.advance(1_000 + ABORT_GRACE_MS - 1);
    gates.at(0).open("just in time");
    await rig.now();
    expect(stopping).toEqual({ done: true, value: 0 });
    expect(await rig.konveier.jobs.result(id)).toBe("just in time");
  });

  test("a handler that ignores the abort loses its job to others, and its late end is refused", async () => {
    const { rig, gates, worker, id } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 1_000 }));
    await rig.clock.advance(1_000 + ABORT_GRACE_MS - 1);
    expect(stopping.done).toBe(false);
    await rig.clock.advance(1);
    expect(stopping).toEqual({ done: true, value: 1 });
    expect(await rig.job(id)).toMatchObject({ state: "pending", attempt: 0 });
    const taken = await rig.claimElsewhere();
    expect(taken).toMatchObject({ id, attempt: 1 });
    gates.at(0).open("too late");
    await rig.clock.advance(10_000);
    expect(await rig.job(id)).toMatchObject({ state: "running", token: taken.token });
  });

  test("a graceMs of 0 aborts at once", async () => {
    const { rig, contexts, worker } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 0 }));
    await rig.now();
    expect(contexts[0]!.signal.aborted).toBe(true);
    await rig.clock.advance(ABORT_GRACE_MS);
    expect(stopping).toEqual({ done: true, value: 1 });
  });

  test("a job that is cancelled during the stop is not given back", async () => {
    const { rig, worker, id } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 5_000 }));
    await rig.konveier.jobs.cancel(id);
    await rig.clock.advance(HEARTBEAT_MS + ABORT_GRACE_MS);
    expect(stopping).toEqual({ done: true, value: 0 });
    expect((await rig.job(id)).state).toBe("cancelled");
  });
});

describe("the answer of a stop", () => {
  test("counts the jobs that the store took back, and no others", async () => {
    const { rig, worker, id } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 0 }));
    await rig.konveier.jobs.cancel(id);
    await rig.clock.advance(ABORT_GRACE_MS);
    expect(stopping).toEqual({ done: true, value: 0 });
    expect(rig.log.of("worker.stopped")).toMatchObject([{ released: 0 }]);
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, reason: "cancelled" }]);
  });
});

describe("a stop and a claim", () => {
  test("SHD-03 the jobs of a claim that is on its way are given back unstarted", async () => {
    const rig = new Rig();
    const answer = new Gate();
    const { claims } = rig.store;
    const claim = claims.claim.bind(claims);
    claims.claim = async (request) => {
      const jobs = await claim(request);
      await answer.promise;
      return jobs;
    };
    let runs = 0;
    const work = defineJob("work", { handler: () => (runs += 1) });
    await rig.konveier.enqueueMany([{ name: "work" }, { name: "work" }]);
    const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] });
    await worker.start();
    await rig.now();
    expect((await rig.counts()).running).toBe(2);
    const stopping = watch(worker.stop());
    await rig.clock.advance(300);
    expect(stopping.done).toBe(false);
    answer.open();
    await rig.now();
    expect(stopping).toEqual({ done: true, value: 2 });
    expect(runs).toBe(0);
    expect(await rig.counts()).toMatchObject({ pending: 2, running: 0 });
    expect((await rig.konveier.jobs.list()).items.map(({ attempt }) => attempt)).toEqual([0, 0]);
  });

  test("a claim that fails on its way does not hold the stop up", async () => {
    const rig = new Rig();
    const answer = new Gate<never>();
    rig.store.claims.claim = () => answer.promise;
    const worker = rig.konveier.worker({ jobs: [defineJob("work", { handler: () => undefined })] });
    await worker.start();
    await rig.now();
    const stopping = watch(worker.stop());
    answer.fail(new KonveierError("store_busy", "locked"));
    await rig.now();
    expect(stopping.done).toBe(true);
  });
});

describe("SHD-06 stops", () => {
  test("in parallel end together, with the same answer and one event", async () => {
    const { rig, gates, worker } = await setUp();
    const stops = [worker.stop({ graceMs: 1_000 }), worker.stop({ graceMs: 1_000 }), worker.stop()].map(
      watch,
    );
    await rig.clock.advance(1_000);
    gates.at(0).fail(new Error("aborted"));
    await rig.now();
    expect(stops).toEqual(new Array(3).fill({ done: true, value: 1 }));
    expect(await worker.stop()).toBe(1);
    expect(rig.log.of("worker.stopped")).toHaveLength(1);
  });

  test("the shorter grace wins, whichever comes first", async () => {
    const { rig, contexts, worker } = await setUp();
    const stopping = watch(worker.stop({ graceMs: 3_600_000 }));
    await rig.clock.advance(100);
    const forced = watch(worker.stop({ graceMs: 0 }));
    await rig.now();
    expect(contexts[0]!.signal.aborted).toBe(true);
    await rig.clock.advance(ABORT_GRACE_MS);
    expect([stopping.done, forced.done]).toEqual([true, true]);

    const other = await setUp();
    const short = watch(other.worker.stop({ graceMs: 1_000 }));
    await other.rig.clock.advance(500);
    const long = watch(other.worker.stop({ graceMs: 60_000 }));
    await other.rig.clock.advance(500 + ABORT_GRACE_MS);
    expect([short.done, long.done]).toEqual([true, true]);
  });

  test("before a start end at once", async () => {
    const rig = new Rig();
    const worker = rig.konveier.worker({ jobs: [defineJob("work", { handler: () => undefined })] });
    expect(await worker.stop()).toBe(0);
    expect(await worker.stop()).toBe(0);
    await expect(worker.start()).rejects.toThrow("has been stopped");
  });

  test("of all workers are part of close, which may be called twice", async () => {
    const { rig, gates, work, id } = await setUp();
    const other = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], queues: ["other"] });
    const never = rig.konveier.worker({ jobs: [work] });
    await other.start();
    const there = await rig.konveier.enqueue(work, null, { queue: "other" });
    await rig.now();
    const closing = [rig.konveier.close({ graceMs: 1_000 }), rig.konveier.close()].map(watch);
    await rig.clock.advance(500);
    gates.at(1).open("done");
    await rig.clock.advance(500 + ABORT_GRACE_MS);
    expect(closing.map(({ done }) => done)).toEqual([true, true]);
    expect(rig.log.of("worker.stopped")).toHaveLength(3);
    expect(rig.clock.pendingTimers).toBe(0);
    expect(await never.stop()).toBe(0);
    await expect(rig.konveier.enqueue(work, null)).rejects.toMatchObject({ code: "store_closed" });

    const reopened = rig.file.open({ clock: rig.clock });
    expect(await reopened.jobs.get(id)).toMatchObject({ state: "pending", attempt: 0 });
    expect(await reopened.jobs.get(there.id)).toMatchObject({ state: "completed" });
    expect(await reopened.workers.list(60_000)).toEqual([]);
  });

  test("a second close with a shorter grace shortens the first", async () => {
    const { rig, contexts } = await setUp();
    const closing = watch(rig.konveier.close({ graceMs: 3_600_000 }));
    await rig.clock.advance(100);
    expect(contexts[0]!.signal.aborted).toBe(false);
    const forced = watch(rig.konveier.close({ graceMs: 0 }));
    await rig.clock.advance(ABORT_GRACE_MS);
    expect([closing.done, forced.done]).toEqual([true, true]);
  });

  test("SHD-09 nothing can be started after a close, which would run for ever", async () => {
    const { rig, work } = await setUp();
    const closing = rig.konveier.close({ graceMs: 0 });
    expect(() => rig.konveier.worker({ jobs: [work] })).toThrow("has been closed");
    expect(() => {
      rig.konveier.startBackground();
    }).toThrow("has been closed");
    await rig.clock.advance(ABORT_GRACE_MS);
    await closing;
    expect(rig.clock.pendingTimers).toBe(0);
  });

  test("SHD-09 the timeout of a handler that never ends is no timer left behind", async () => {
    const rig = new Rig();
    const stuck = defineJob("stuck", { timeoutMs: 3_600_000, handler: () => new Gate<never>().promise });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [stuck] }).start();
    await rig.konveier.enqueue(stuck, null);
    await rig.now();
    const closing = rig.konveier.close({ graceMs: 0 });
    await rig.clock.advance(ABORT_GRACE_MS);
    await closing;
    expect(rig.clock.pendingTimers).toBe(0);
  });

  test("SHD-09 an outcome that gets no answer until the worker has stopped leaves no timer behind", async () => {
    const { rig, gates, worker } = await setUp();
    const answer = new Gate<never>();
    rig.store.claims.settle = () => answer.promise;
    gates.at(0).open("done");
    await rig.now();
    const stopping = watch(worker.stop());
    await rig.clock.advance(5_000);
    expect(stopping.done).toBe(true);
    answer.fail(new KonveierError("store_busy", "locked"));
    await rig.now();
    await rig.konveier.close();
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
