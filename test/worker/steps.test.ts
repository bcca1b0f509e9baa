import { describe, expect, test } from "vitest";
import { defineJob, type JobContext, type JobHandler } from "../../src/core/define-job.js";
import { KonveierError, LeaseLostError } from "../../src/core/errors.js";
import { JobTimeoutError } from "../../src/core/run.js";
import { Gate } from "./gate.js";
import { LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

/** Attempts of one job, with what its handler noted. */
async function attemptsOf(handler: (note: (what: unknown) => void) => JobHandler) {
  const rig = new Rig();
  const noted: unknown[] = [];
  const work = defineJob("work", {
    maxAttempts: 5,
    backoff: { type: "fixed", delayMs: 100 },
    handler: handler((what) => {
      noted.push(what);
    }),
  });
  const { id } = await rig.konveier.enqueue(work, null);
  await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
  await rig.now();
  return { rig, id, noted };
}

/** A running job and its context. */
async function setUp({ timeoutMs }: { timeoutMs?: number } = {}) {
  const gate = new Gate();
  const contexts: JobContext[] = [];
  const rig = new Rig();
  const work = defineJob("work", {
    ...(timeoutMs !== undefined && { timeoutMs }),
    handler: (context) => {
      contexts.push(context);
      return gate.promise;
    },
  });
  const { id } = await rig.konveier.enqueue(work, null);
  await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
  await rig.now();
  return { rig, gate, id, step: contexts[0]!.step, context: contexts[0]! };
}

describe("steps", () => {
  test("that are done are skipped by the next attempt, which sees what the first one saw", async () => {
    const { rig, id, noted } = await attemptsOf((note) => async ({ job, step }) => {
      const charge = await step("charge", () => {
        note("charging");
        return { at: new Date(0), nothing: undefined };
      });
      note(charge);
      const notified = await step<unknown>("notify", () => {
        note("notifying");
      });
      note(notified);
      if (job.attempt === 1) throw new Error("later");
      return charge;
    });
    const charge = { at: "1970-01-01T00:00:00.000Z" };
    expect(noted).toStrictEqual(["charging", charge, "notifying", undefined]);
    await rig.clock.advance(100);
    expect(noted.slice(4)).toStrictEqual([charge, undefined]);
    expect(await rig.konveier.jobs.result(id)).toEqual(charge);
    expect(await rig.konveier.jobs.steps(id)).toMatchObject([
      { seq: 1, name: "charge", attempt: 1, resultBytes: 33 },
      { seq: 2, name: "notify", attempt: 1, resultBytes: null },
    ]);
    expect(await rig.konveier.jobs.stepResult(id, 1)).toEqual(charge);
    expect(await rig.konveier.jobs.stepResult(id, 2)).toBeUndefined();
  });

  test("that failed are done again, in the same attempt or in the next one", async () => {
    const { rig, id, noted } = await attemptsOf((note) => async ({ step }) => {
      const fail = (what: string) =>
        step("charge", () => {
          note(what);
          throw new Error(what);
        });
      await fail("caught").catch(() => undefined);
      await fail("not caught");
    });
    await rig.clock.advance(100);
    expect(noted).toEqual(["caught", "not caught", "caught", "not caught"]);
    expect(await rig.konveier.jobs.steps(id)).toEqual([]);
    expect((await rig.job(id)).lastError?.message).toBe("not caught");
  });

  test("of one name are done once, however many ask for it; those of others at the same time", async () => {
    const { rig, step, gate } = await setUp();
    let done = 0;
    const [a, b] = [new Gate(), new Gate()];
    const charge = () =>
      step("charge", async () => {
        done += 1;
        await a.promise;
        return done;
      });
    const both = Promise.all([charge(), charge(), step("ship", () => b.promise)]);
    await rig.now();
    b.open();
    await rig.now();
    a.open();
    expect(await both).toEqual([1, 1, undefined]);
    expect(await charge()).toBe(1);
    gate.open();
  });

  test("within steps are refused, whatever their names, and steps beside them are not", async () => {
    const { step, gate } = await setUp();
    const inside = (name: string) => step("outer", () => step(name, () => 1));
    await expect(inside("inner")).rejects.toThrow('Step "inner" was called inside of step "outer"');
    await expect(inside("outer")).rejects.toThrow('Step "outer" was called inside of step "outer"');
    const late: Promise<number>[] = [];
    const after = new Gate();
    await step("first", () => {
      late.push(after.promise.then(() => step("second", () => 2)));
    });
    after.open();
    expect(await Promise.all(late)).toEqual([2]);
    gate.open();
  });

  test("whose result cannot be stored end the job, which would do them at every attempt", async () => {
    const { rig, id, noted } = await attemptsOf((note) => async ({ step }) => {
      await step("charge", () => {
        note("charging");
        return { amount: 1n };
      });
    });
    await rig.clock.advance(100);
    expect(noted).toEqual(["charging"]);
    expect(await rig.job(id)).toMatchObject({ state: "dead", attempt: 1 });
    expect((await rig.job(id)).lastError).toMatchObject({
      type: "NonRetryableError",
      message: expect.stringContaining(
        'Step "charge" is done, but what it gave cannot be stored: $.amount is a BigInt',
      ) as string,
    });
  });

  test.each(["", "a\nb", "x".repeat(256), 7 as unknown as string])(
    "need a name, which %o is not",
    async (name) => {
      const { step, gate } = await setUp();
      let done = false;
      const call = step(name, () => {
        done = true;
      });
      await expect(call).rejects.toBeInstanceOf(KonveierError);
      await expect(call).rejects.toMatchObject({ code: "validation_failed", faults: [{ pointer: "/name" }] });
      expect(done).toBe(false);
      gate.open();
    },
  );

  test("of a lost claim are not begun, and what they gave is not stored", async () => {
    const { rig, id, step, context, gate } = await setUp();
    const during = step("charge", async () => {
      await rig.konveier.jobs.cancel(id);
    });
    await expect(during).rejects.toMatchObject({ code: "lease_lost", reason: "cancelled" });
    expect(context.signal.reason).toBeInstanceOf(LeaseLostError);
    let begun = false;
    const after = step("ship", () => {
      begun = true;
    });
    await expect(after).rejects.toBeInstanceOf(LeaseLostError);
    expect(begun).toBe(false);
    expect(await rig.konveier.jobs.steps(id)).toEqual([]);
    gate.open();
  });

  test("are not begun once the attempt may not go on", async () => {
    const late = await setUp({ timeoutMs: 50 });
    await late.rig.clock.advance(50);
    let begun = false;
    const begin = () => {
      begun = true;
    };
    await expect(late.step("a", begin)).rejects.toBeInstanceOf(LeaseLostError);

    const slow = await setUp({ timeoutMs: 50 });
    const { steps } = slow.rig.store;
    const find = steps.find.bind(steps);
    steps.find = async (key, name) => {
      const found = await find(key, name);
      await slow.rig.clock.advance(50);
      return found;
    };
    await expect(slow.step("a", begin)).rejects.toBeInstanceOf(JobTimeoutError);

    const blocked = await setUp();
    blocked.rig.clock.block(LEASE_MS);
    await expect(blocked.step("a", begin)).rejects.toBeInstanceOf(LeaseLostError);
    expect(begun).toBe(false);
    for (const { gate } of [late, slow, blocked]) gate.open();
  });

  test("are stored once the store can be written again, and not done twice", async () => {
    const { rig, id, step, gate } = await setUp();
    const { steps } = rig.store;
    const store = steps.store.bind(steps);
    let tries = 0;
    steps.store = (...call) => {
      tries += 1;
      if (tries < 3) return Promise.reject(new KonveierError("store_busy", "locked"));
      return store(...call);
    };
    let done = 0;
    const charged = step("charge", () => (done += 1));
    await rig.clock.advance(1_000);
    expect(await charged).toBe(1);
    expect([done, tries]).toEqual([1, 3]);
    expect(await rig.konveier.jobs.steps(id)).toHaveLength(1);

    steps.store = () => Promise.reject(new KonveierError("store_corrupt", "damaged"));
    await expect(step("ship", () => 1)).rejects.toMatchObject({ code: "store_corrupt" });
    gate.open();
  });

  test("that nobody awaits are no unhandled rejections", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const { rig, step, gate } = await setUp();
      const steps = [step("", () => 1), step("charge", () => Promise.reject(new Error("no")))];
      expect(steps).toHaveLength(2);
      gate.open();
      await rig.now();
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
