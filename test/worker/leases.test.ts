import { describe, expect, test } from "vitest";
import { ABORT_GRACE_MS } from "../../src/core/defaults.js";
import { LeaseLostError } from "../../src/core/errors.js";
import { createContext } from "../../src/engine/context.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { defineJob, type JobContext } from "../../src/core/define-job.js";
import { FakeClock } from "../support/fake-clock.js";
import { Gate, Gates } from "./gate.js";
import { HEARTBEAT_MS, LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

const AT_ONCE = { type: "fixed", delayMs: 0 } as const;

/** A worker whose handlers run until they are let go, and what they were given. */
async function setUp({ concurrency = 10 } = {}) {
  const rig = new Rig();
  const gates = new Gates();
  const contexts: JobContext[] = [];
  const work = defineJob("work", {
    backoff: AT_ONCE,
    handler: (context) => {
      contexts.push(context);
      return gates.wait();
    },
  });
  const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency });
  await worker.start();
  return { rig, gates, contexts, work, worker };
}

/** The reaper of another process, whose clock is ahead. */
async function reapElsewhere(rig: Rig, aheadMs: number): Promise<void> {
  const clock = new FakeClock(rig.clock.now() + aheadMs);
  const reaped = await reap(createContext(rig.file.open({ clock }), { clock }));
  expect(reaped).toBe(1);
}

describe("a lease", () => {
  test("is kept by heartbeats for as long as the handler takes", async () => {
    const { rig, gates, contexts, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    for (let lease = 0; lease < 20; lease += 1) {
      await rig.clock.advance(LEASE_MS);
      expect((await rig.job(id)).leaseExpiresAt).toBeGreaterThan(
        rig.clock.now() + LEASE_MS - HEARTBEAT_MS - 1,
      );
    }
    gates.at(0).open("done");
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(contexts[0]!.signal.aborted).toBe(false);
    expect(gates.started).toBe(1);
    expect(rig.log.about(id)).toEqual(["job.completed"]);
  });

  test("of a cancelled job: the signal aborts within a heartbeat, the outcome is dropped", async () => {
    const { rig, gates, contexts, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.clock.advance(HEARTBEAT_MS / 2);
    const { signal } = contexts[0]!;
    await rig.konveier.jobs.cancel(id);
    await rig.clock.advance(HEARTBEAT_MS / 2);
    expect(signal.reason).toBeInstanceOf(LeaseLostError);
    expect(signal.reason).toMatchObject({ reason: "cancelled", jobId: id });
    gates.at(0).open("too late");
    await rig.now();
    expect((await rig.job(id)).state).toBe("cancelled");
    expect(await rig.konveier.jobs.result(id)).toBeUndefined();
    expect(rig.log.about(id)).toEqual(["job.cancelled", "lease.lost"]);
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, reason: "cancelled" }]);
  });

  test("of a job that is cancelled and whose handler ends before the heartbeat: nothing changes", async () => {
    const { rig, gates, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.now();
    await rig.konveier.jobs.cancel(id);
    gates.at(0).open("too late");
    await rig.clock.advance(5 * LEASE_MS);
    expect((await rig.job(id)).state).toBe("cancelled");
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, reason: "cancelled" }]);
    expect(gates.started).toBe(1);
  });

  test("WRK-06 of a deleted job: the handler is aborted, its end harms nothing", async () => {
    const { rig, gates, contexts, work } = await setUp({ concurrency: 1 });
    const { id } = await rig.konveier.enqueue(work, null, { idempotencyKey: "once" });
    await rig.now();
    await rig.konveier.jobs.delete(id, { force: true });
    await rig.clock.advance(HEARTBEAT_MS);
    expect(contexts[0]!.signal.reason).toMatchObject({ reason: "gone", jobId: id });
    gates.at(0).fail(new Error("aborted"));
    await rig.now();
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, name: "work", reason: "gone" }]);
    expect(rig.log.names).not.toContain("internal.error");
    expect(await rig.konveier.jobs.get(id)).toBeNull();

    const again = await rig.konveier.enqueue(work, null, { idempotencyKey: "once" });
    expect(again.deduplicated).toBe(false);
    await rig.now();
    gates.at(1).open("done");
    await rig.now();
    expect((await rig.job(again.id)).state).toBe("completed");
  });

  test("CLM-03 that another worker took: aborted, its outcome refused, and the other jobs go on", async () => {
    const { rig, gates, contexts, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null, { priority: 9 });
    await rig.clock.advance(100);
    const calm = await rig.konveier.enqueue(work, null);
    await rig.now();
    const stale = contexts[0]!;
    // Between the ends of the two leases.
    await reapElsewhere(rig, LEASE_MS - 50);
    const taken = await rig.claimElsewhere();
    expect(taken).toMatchObject({ id });
    expect(taken.token).toBeGreaterThan(stale.token);

    await rig.clock.advance(HEARTBEAT_MS);
    expect(stale.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(stale.signal.reason).toMatchObject({ reason: "reclaimed", token: stale.token });
    await expect(stale.progress(50)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(stale.log("late")).rejects.toBeInstanceOf(LeaseLostError);
    gates.at(0).open("A");
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "running", workerId: "elsewhere", progress: null });
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, token: stale.token, reason: "reclaimed" }]);

    await rig.store.claims.settle([
      { verb: "complete", id, token: taken.token, result: '"B"', resultProblem: null },
    ]);
    expect(await rig.konveier.jobs.result(id)).toBe("B");
    expect(await rig.konveier.jobs.logs(id)).toEqual([]);
    expect((await rig.job(id)).attempt).toBe(2);

    expect(contexts[1]!.signal.aborted).toBe(false);
    gates.at(1).open("calm");
    await rig.now();
    expect(await rig.konveier.jobs.result(calm.id)).toBe("calm");
  });

  test("CLM-03 the outcome itself is refused when no heartbeat came before it", async () => {
    const { rig, gates, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.now();
    await reapElsewhere(rig, LEASE_MS);
    const taken = await rig.claimElsewhere();
    gates.at(0).open("A");
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "running", token: taken.token });
    expect(await rig.konveier.jobs.result(id)).toBeUndefined();
    expect(rig.log.about(id)).toEqual(["lease.lost"]);
  });

  test.each([
    ["progress", (context: JobContext) => context.progress(50)],
    ["a log line", (context: JobContext) => context.log("late")],
    ["a failure", null],
  ])("CLM-03 %s too is refused before any heartbeat", async (_, write) => {
    const { rig, gates, contexts, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.now();
    await reapElsewhere(rig, LEASE_MS);
    const taken = await rig.claimElsewhere();
    if (write === null) gates.at(0).fail(new Error("A"));
    else await expect(write(contexts[0]!)).rejects.toMatchObject({ code: "lease_lost", reason: "reclaimed" });
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "running", token: taken.token, progress: null });
    expect(await rig.konveier.jobs.logs(id)).toEqual([]);
    expect(await rig.konveier.jobs.attempts(id)).toMatchObject([{ outcome: "lost" }, { outcome: "running" }]);
  });

  test("WRK-04 of a finished job is over: it is never claimed again", async () => {
    const { rig, gates, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.now();
    gates.at(0).open("done");
    await rig.clock.advance(10 * LEASE_MS);
    expect(gates.started).toBe(1);
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  test("a lost handler that never ends keeps neither its slot nor its job", async () => {
    const { rig, gates, work } = await setUp({ concurrency: 1 });
    const { id } = await rig.konveier.enqueue(work, null);
    const next = await rig.konveier.enqueue(work, null);
    await rig.now();
    await rig.konveier.jobs.cancel(id);
    await rig.clock.advance(HEARTBEAT_MS + ABORT_GRACE_MS);
    expect(rig.log.about(id)).toEqual(["job.cancelled", "lease.lost", "handler.stuck"]);
    expect((await rig.job(next.id)).state).toBe("running");
    gates.openAll();
    await rig.now();
    expect((await rig.job(next.id)).state).toBe("completed");
  });
});

describe("LSE-01 a handler that blocks the event loop beyond its lease", () => {
  test("sees it at its signal, and later jobs of the claim are given back unstarted", async () => {
    const rig = new Rig();
    const seen: boolean[] = [];
    const started: string[] = [];
    const work = defineJob("work", {
      handler: (context) => {
        started.push(context.job.id);
        if (started.length > 1) return;
        seen.push(context.signal.aborted);
        rig.clock.block(LEASE_MS - 1);
        seen.push(context.signal.aborted);
        rig.clock.block(1);
        seen.push(context.signal.aborted);
        context.signal.throwIfAborted();
      },
    });
    const request = { name: "work", backoff: AT_ONCE };
    const [first, second, third] = await rig.konveier.enqueueMany([request, request, request]);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency: 3 }).start();
    await rig.now();
    expect(seen).toEqual([false, false, true]);
    expect(rig.log.of("job.released").map(({ id }) => id)).toEqual([second!.id, third!.id]);
    // Nobody had taken the blocked one, so the store still hears of it; the attempt is used up.
    expect(await rig.konveier.jobs.attempts(first!.id)).toMatchObject([{ number: 1, outcome: "lost" }, {}]);
    await rig.clock.advance(LEASE_MS);
    expect((await rig.counts()).completed).toBe(3);
    expect(await rig.job(second!.id)).toMatchObject({ attempt: 1 });
  });

  test("is refused when another worker runs the job by then, and runs twice at the most", async () => {
    const rig = new Rig();
    const blocked = new Gate();
    const work = defineJob("work", {
      backoff: AT_ONCE,
      handler: async () => {
        await blocked.promise;
        rig.clock.block(2 * LEASE_MS);
        return "A";
      },
    });
    const { id } = await rig.konveier.enqueue(work, null);
    const bystander = await rig.konveier.enqueue(work, null, { queue: "other" });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    const { token } = await rig.job(id);
    // The event loop is blocked; meanwhile another process reaps and claims.
    await reapElsewhere(rig, LEASE_MS);
    const taken = await rig.claimElsewhere();
    blocked.open();
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "running", token: taken.token, attempt: 2 });
    await rig.store.claims.settle([
      { verb: "complete", id, token: taken.token, result: '"B"', resultProblem: null },
    ]);
    await rig.clock.advance(LEASE_MS);
    expect(await rig.konveier.jobs.result(id)).toBe("B");
    expect(rig.log.of("lease.lost")).toMatchObject([{ id, token }]);
    expect((await rig.job(bystander.id)).state).toBe("pending");
  });
});

describe("heartbeats that get no answer", () => {
  test("abort the handlers at the end of their lease, not later", async () => {
    const { rig, contexts, work } = await setUp();
    await rig.konveier.enqueue(work, null);
    await rig.now();
    rig.store.claims.extend = () => new Gate<never>().promise;
    const { signal } = contexts[0]!;
    await rig.clock.advance(LEASE_MS - 1);
    expect(signal.aborted).toBe(false);
    await rig.clock.advance(1);
    expect(signal.reason).toMatchObject({ code: "lease_lost", reason: "reclaimed" });
  });

  test("are said again soon, and one that gets through keeps the lease", async () => {
    const { rig, gates, contexts, work } = await setUp();
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.now();
    const { claims } = rig.store;
    const extend = claims.extend.bind(claims);
    claims.extend = () => Promise.reject(new Error("no"));
    await rig.clock.advance(LEASE_MS - 501);
    claims.extend = extend;
    await rig.clock.advance(LEASE_MS);
    expect(contexts[0]!.signal.aborted).toBe(false);
    gates.at(0).open("done");
    await rig.now();
    expect((await rig.job(id)).state).toBe("completed");
  });
});

test("GRW-09 a worker with a long lease is seen at least every ten seconds", async () => {
  const rig = new Rig();
  const work = defineJob("work", { handler: () => undefined });
  await rig.konveier.worker({ jobs: [work], leaseMs: 600_000 }).start();
  await rig.clock.advance(60_000);
  expect(await rig.store.workers.list(10_001)).toHaveLength(1);
});
