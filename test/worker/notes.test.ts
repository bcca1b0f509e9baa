import { describe, expect, test } from "vitest";
import { LeaseLostError } from "../../src/core/errors.js";
import { defineJob, type JobContext } from "../../src/core/define-job.js";
import { Gate } from "./gate.js";
import { Rig, SHORT_LEASE } from "./rig.js";

/** A running job, its context, and what lets it end. */
async function setUp() {
  const rig = new Rig();
  const gate = new Gate();
  const contexts: JobContext[] = [];
  const work = defineJob("work", {
    handler: (context) => {
      contexts.push(context);
      return gate.promise;
    },
  });
  const { id } = await rig.konveier.enqueue(work, null);
  await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
  await rig.now();
  return { rig, gate, id, context: contexts[0]! };
}

describe("progress and log", () => {
  test("are kept with the job and its attempt", async () => {
    const { rig, id, context } = await setUp();
    const { progress, log } = context;
    await progress(42.5, "half of it");
    await Promise.all([log("first"), log("second", "warn")]);
    expect((await rig.job(id)).progress).toEqual({
      percent: 42.5,
      message: "half of it",
      at: rig.clock.now(),
    });
    expect(await rig.konveier.jobs.logs(id)).toMatchObject([
      { seq: 1, attempt: 1, level: "info", message: "first" },
      { seq: 2, attempt: 1, level: "warn", message: "second" },
    ]);
  });

  test("are bounded in number and length", async () => {
    const { rig, id, context } = await setUp();
    await context.progress(250, "x".repeat(10_000));
    expect((await rig.job(id)).progress?.percent).toBe(100);
    expect((await rig.job(id)).progress?.message).toHaveLength(500);
    await context.progress(-1);
    expect((await rig.job(id)).progress).toMatchObject({ percent: 0, message: null });

    await context.log("y".repeat(10_000));
    await Promise.all(Array.from({ length: 1_500 }, (_, index) => context.log(`line ${index}`)));
    const lines = await rig.konveier.jobs.logs(id, { limit: 10_000 });
    expect(lines).toHaveLength(1_000);
    expect(lines[0]!.message).toHaveLength(2_000);
  });

  test("PAY-01 PAY-03 hold text that no database takes as it is", async () => {
    const { rig, id, context } = await setUp();
    await context.progress(1, "a\0b\ud800");
    await context.log("a\0b\ud800");
    expect((await rig.job(id)).progress?.message).toBe("a\ufffdb\ufffd");
    expect(await rig.konveier.jobs.logs(id)).toMatchObject([{ message: "a\ufffdb\ufffd" }]);
  });

  test("PAY-06 what is no text, number or level is a rejection, never a throw", async () => {
    const { rig, gate, id, context } = await setUp();
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    await expect(context.progress(Number.NaN)).rejects.toBeInstanceOf(RangeError);
    await expect(context.progress("50" as unknown as number)).rejects.toBeInstanceOf(RangeError);
    await expect(context.log("x", "loud" as "info")).rejects.toBeInstanceOf(RangeError);
    for (const text of [cycle, 1n, Symbol("s"), null, new Error("x")] as unknown as string[]) {
      // Unawaited too: none of these may end the process.
      context.log(text).catch(() => undefined);
      context.progress(1, text).catch(() => undefined);
      await expect(context.log(text)).rejects.toBeInstanceOf(TypeError);
      await expect(context.progress(1, text)).rejects.toBeInstanceOf(TypeError);
    }
    gate.open();
    await rig.now();
    expect((await rig.job(id)).state).toBe("completed");
  });

  test("that nobody awaits are no unhandled rejections when the lease is lost", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const { rig, gate, id, context } = await setUp();
      await rig.konveier.jobs.cancel(id);
      const promises = [context.progress(1), context.log("x"), context.progress(Number.NaN)];
      expect(promises).toHaveLength(3);
      gate.open();
      await rig.now();
      // Node tells of unhandled rejections after the microtasks of a turn.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });

  test("LSE-13 of a lost claim reject and abort the signal, without waiting for a heartbeat", async () => {
    const { rig, gate, id, context } = await setUp();
    const { signal } = context;
    await rig.konveier.jobs.cancel(id);
    await expect(context.progress(10)).rejects.toMatchObject({ reason: "cancelled" });
    expect(signal.reason).toBeInstanceOf(LeaseLostError);
    await expect(context.log("late")).rejects.toMatchObject({ reason: "cancelled" });
    expect(await rig.konveier.jobs.logs(id)).toEqual([]);
    expect((await rig.job(id)).progress).toBeNull();
    gate.open();
    await rig.now();
    expect(rig.log.about(id)).toEqual(["job.cancelled", "lease.lost"]);
  });

  test("LSE-13 of a deleted job make no row", async () => {
    const { rig, id, context } = await setUp();
    await rig.konveier.jobs.delete(id, { force: true });
    await expect(context.log("late")).rejects.toMatchObject({ reason: "gone" });
    await expect(context.progress(1)).rejects.toMatchObject({ reason: "gone" });
    const { jobs, job_logs: logs } = rig.file.dump();
    expect(jobs).toEqual([]);
    expect(logs ?? []).toEqual([]);
  });

  test("after the job has ended are refused", async () => {
    const { rig, gate, id, context } = await setUp();
    gate.open();
    await rig.now();
    await expect(context.progress(99)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(context.log("late")).rejects.toBeInstanceOf(LeaseLostError);
    expect((await rig.job(id)).progress).toBeNull();
    expect(rig.log.about(id)).toEqual(["job.completed"]);
  });
});
