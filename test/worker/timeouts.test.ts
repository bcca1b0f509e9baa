import { describe, expect, test } from "vitest";
import { ABORT_GRACE_MS } from "../../src/core/defaults.js";
import { defineJob, type JobContext } from "../../src/core/define-job.js";
import { JobTimeoutError } from "../../src/core/run.js";
import { Gates } from "./gate.js";
import { LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

const FIXED = { type: "fixed", delayMs: 5_000 } as const;

describe("a timeout", () => {
  test("LSE-09 aborts the signal and fails the attempt at its time, whatever the lease is", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const contexts: JobContext[] = [];
    const work = defineJob("work", {
      backoff: FIXED,
      handler: (context) => {
        contexts.push(context);
        return gates.wait();
      },
    });
    const endless = await rig.konveier.enqueue(work, "no timeout");
    const timed = await rig.konveier.enqueue(work, "timeout", { timeoutMs: 2 * LEASE_MS });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.clock.advance(2 * LEASE_MS - 1);
    expect(contexts[1]!.signal.aborted).toBe(false);
    await rig.clock.advance(1);
    expect(contexts[1]!.signal.reason).toBeInstanceOf(JobTimeoutError);
    expect(await rig.job(timed.id)).toMatchObject({
      state: "scheduled",
      attempt: 1,
      runAt: rig.clock.now() + 5_000,
      lastError: { type: "JobTimeoutError", message: "The attempt took longer than 6000 ms" },
    });
    expect(await rig.konveier.jobs.attempts(timed.id)).toMatchObject([{ outcome: "timed_out" }]);
    // Its answer comes too late, and changes nothing.
    gates.at(1).open("late");
    await rig.now();
    expect((await rig.job(timed.id)).state).toBe("scheduled");

    await rig.clock.advance(20 * LEASE_MS);
    expect(await rig.job(endless.id)).toMatchObject({ state: "running", attempt: 1 });
    expect(contexts[0]!.signal.aborted).toBe(false);
    gates.at(0).open("done");
    await rig.now();
    expect(await rig.job(endless.id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  test("WRK-03 frees the slots of handlers that never settle, and says so", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const hang = defineJob("hang", { timeoutMs: 1_000, maxAttempts: 1, handler: () => gates.wait() });
    const work = defineJob("work", { handler: () => "done" });
    await rig.konveier.enqueueMany([
      { name: "hang", timeoutMs: 1_000, maxAttempts: 1 },
      { name: "hang", timeoutMs: 1_000, maxAttempts: 1 },
      { name: "work" },
    ]);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [hang, work], concurrency: 2 }).start();
    await rig.clock.advance(1_000 + ABORT_GRACE_MS - 1);
    expect(await rig.counts()).toMatchObject({ dead: 2, pending: 1, completed: 0 });
    expect(rig.log.of("handler.stuck")).toEqual([]);
    await rig.clock.advance(1);
    expect(await rig.counts()).toMatchObject({ dead: 2, completed: 1 });
    expect(rig.log.of("handler.stuck")).toMatchObject([{ name: "hang" }, { name: "hang" }]);
    // The slots are not given back twice when the handlers do end.
    gates.openAll();
    await rig.konveier.enqueueMany(new Array<{ name: string }>(5).fill({ name: "hang" }));
    await rig.now();
    expect((await rig.counts()).running).toBe(2);
    expect(await rig.konveier.jobs.result("3")).toBe("done");
  });

  test("a handler that tidies up within the grace is not stuck", async () => {
    const rig = new Rig();
    const work = defineJob("work", {
      timeoutMs: 1_000,
      maxAttempts: 1,
      handler: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reject(new Error("aborted"));
          });
        }),
    });
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.clock.advance(10_000);
    expect(rig.log.about(id)).toEqual(["job.dead"]);
    expect(await rig.job(id)).toMatchObject({ lastError: { type: "JobTimeoutError" } });
  });

  test("counts from the start of the attempt, also when the handler began by blocking", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const work = defineJob("work", {
      timeoutMs: 2_000,
      maxAttempts: 1,
      handler: () => {
        rig.clock.block(1_500);
        return gates.wait();
      },
    });
    const { id } = await rig.konveier.enqueue(work, null);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    await rig.clock.advance(499);
    expect((await rig.job(id)).state).toBe("running");
    await rig.clock.advance(1);
    expect((await rig.job(id)).state).toBe("dead");
  });

  test("leaves no timer behind when the handler was faster", async () => {
    const rig = new Rig();
    const work = defineJob("work", { timeoutMs: 3_600_000, handler: () => "done" });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    const before = rig.clock.pendingTimers;
    await rig.konveier.enqueueMany(
      new Array<{ name: string; timeoutMs: number }>(50).fill({ name: "work", timeoutMs: 9_999 }),
    );
    await rig.now();
    expect((await rig.counts()).completed).toBe(50);
    expect(rig.clock.pendingTimers).toBe(before);
  });
});

describe("RTY-06 a backoff function decides after", () => {
  const asked: unknown[] = [];
  function custom(input: unknown): number {
    asked.push(input);
    return 7_000;
  }

  test("an error, a timeout and a lost lease", async () => {
    asked.length = 0;
    const rig = new Rig();
    const gates = new Gates();
    const backoff = custom;
    const failing = defineJob("failing", {
      backoff,
      handler: () => {
        throw new Error("boom");
      },
    });
    const slow = defineJob("slow", { backoff, timeoutMs: 1_000, handler: () => gates.wait() });
    const crashing = defineJob("crashing", { backoff, handler: () => undefined });

    const crashed = await rig.konveier.enqueue(crashing, null);
    const other = rig.file.open({ clock: rig.clock });
    await other.claims.claim({ workerId: "x", queues: ["default"], names: null, max: 1, leaseMs: 1_000 });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [failing, slow, crashing] }).start();
    const failed = await rig.konveier.enqueue(failing, null);
    const timedOut = await rig.konveier.enqueue(slow, null);
    await rig.now();
    expect((await rig.job(failed.id)).runAt).toBe(rig.clock.now() + 7_000);
    await rig.clock.advance(1_000);
    expect((await rig.job(timedOut.id)).runAt).toBe(rig.clock.now() + 7_000);
    expect(await rig.job(crashed.id)).toMatchObject({ state: "scheduled", runAt: rig.clock.now() + 7_000 });
    expect(asked).toMatchObject([
      { jobName: "failing", failures: 1, error: "boom" },
      { jobName: "slow", failures: 1 },
      { jobName: "crashing", failures: 1 },
    ]);
  });

  test("and when it throws or answers nonsense, the job is retried all the same", async () => {
    const rig = new Rig();
    const boom = () => {
      throw new Error("boom");
    };
    const throwing = defineJob("throwing", { backoff: boom, handler: boom });
    const nonsense = defineJob("nonsense", { backoff: () => Number.NaN, handler: boom });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [throwing, nonsense] }).start();
    const first = await rig.konveier.enqueue(throwing, null);
    const second = await rig.konveier.enqueue(nonsense, null);
    await rig.now();
    expect(await rig.job(first.id)).toMatchObject({ state: "scheduled", runAt: rig.clock.now() + 1_000 });
    expect(await rig.job(second.id)).toMatchObject({
      state: "scheduled",
      runAt: rig.clock.now() + 1_000,
    });
    expect(rig.log.of("internal.error")).toMatchObject([
      { during: "the backoff function of throwing" },
      { during: "the backoff function of nonsense" },
    ]);
  });
});
