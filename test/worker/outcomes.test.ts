import { describe, expect, test } from "vitest";
import { NonRetryableError, RetryAfter, Snooze } from "../../src/core/outcomes.js";
import { defineJob, type JobHandler } from "../../src/core/define-job.js";
import { Rig, SHORT_LEASE } from "./rig.js";

const FIXED = { type: "fixed", delayMs: 5_000 } as const;

/** Runs one job with this handler as far as it goes without time passing. */
async function run(handler: JobHandler, settings: { maxAttempts?: number } = {}) {
  const rig = new Rig();
  const work = defineJob("work", { handler, backoff: FIXED, ...settings });
  await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
  const { id } = await rig.konveier.enqueue(work, { to: "x" });
  await rig.now();
  return { rig, id, job: await rig.job(id) };
}

describe("what a handler returns", () => {
  test.each([
    ["an object", { a: [1, "x", null] }],
    ["null", null],
    ["text", ""],
    ["a number", 0],
  ])("%s is kept as the result", async (_, result) => {
    const { rig, id, job } = await run(() => Promise.resolve(result));
    expect(job).toMatchObject({ state: "completed", attempt: 1, resultProblem: null });
    expect(await rig.konveier.jobs.result(id)).toEqual(result);
    expect(rig.log.about(id)).toEqual(["job.completed"]);
  });

  test("nothing is no result", async () => {
    const { rig, id, job } = await run(() => undefined);
    expect(job).toMatchObject({ state: "completed", resultProblem: null });
    expect(await rig.konveier.jobs.result(id)).toBeUndefined();
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const hostile = {
    toJSON() {
      throw new Error("no");
    },
  };
  test.each([
    ["PAY-04 a BigInt", { n: 1n }, "$.n is a BigInt"],
    ["PAY-06 a cycle", cycle, "$.self is a reference to itself"],
    ["300 KiB", "x".repeat(300 * 1024), "limit is 262144"],
    ["NaN", { n: Number.NaN }, "$.n is NaN"],
    ["a function", () => 1, "$ is a function"],
    ["an object whose toJSON throws", hostile, "cannot be written as JSON"],
  ])("%s that cannot be kept completes the job all the same and says why", async (_, result, problem) => {
    const { rig, id, job } = await run(() => result);
    expect(job).toMatchObject({ state: "completed", attempt: 1 });
    expect(job.resultProblem).toContain(problem);
    expect(await rig.konveier.jobs.result(id)).toBeUndefined();
    expect(rig.log.of("job.completed")).toMatchObject([{ id, resultProblem: job.resultProblem }]);
    expect(rig.log.names).not.toContain("internal.error");
  });
});

describe("what a handler throws", () => {
  const cyclic = new Error("outer");
  cyclic.cause = cyclic;
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error("get");
      },
    },
  );
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const withStack = new Error("with a stack that throws");
  Object.defineProperty(withStack, "stack", {
    get() {
      throw new Error("no stack");
    },
  });
  test.each<[string, unknown]>([
    ["an Error", new Error("boom")],
    ["undefined", undefined],
    ["null", null],
    ["0", 0],
    ["an empty string", ""],
    ["a string", "x"],
    ["an object", {}],
    ["an object without a prototype", Object.create(null)],
    ["a message that is a BigInt", { message: 1n }],
    ["a symbol", Symbol("s")],
    ["a proxy that throws", throwing],
    ["a revoked proxy", revoked.proxy],
    ["an Error without a message", Object.assign(new Error("x"), { message: undefined })],
    ["a stack that throws", withStack],
    ["an AggregateError", new AggregateError([new Error("a")], "all failed")],
    ["a DOMException", new DOMException("aborted", "AbortError")],
    ["a cyclic cause", cyclic],
  ])("WRK-01 %s is a failed attempt with a message, and is retried", async (_, thrown) => {
    for (const handler of [
      () => {
        throw thrown;
      },
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case
      () => Promise.reject(thrown),
    ]) {
      const { rig, id, job } = await run(handler, { maxAttempts: 2 });
      expect(job).toMatchObject({ state: "scheduled", attempt: 1, runAt: rig.clock.now() + 5_000 });
      expect(job.lastError?.message).not.toBe("");
      expect(rig.log.of("job.retrying")).toMatchObject([{ id, delayMs: 5_000 }]);
      expect(await rig.konveier.jobs.attempts(id)).toMatchObject([
        { number: 1, outcome: "failed", retryDelayMs: 5_000 },
      ]);
      await rig.clock.advance(5_000);
      expect(await rig.job(id)).toMatchObject({ state: "dead", attempt: 2 });
      expect((await rig.counts()).running).toBe(0);
    }
  });

  test("RTY-04 maxAttempts is the number of runs", async () => {
    for (const maxAttempts of [1, 3]) {
      let runs = 0;
      const { rig, id } = await run(
        () => {
          runs += 1;
          throw new Error(`run ${runs}`);
        },
        { maxAttempts },
      );
      await rig.clock.advance(60_000);
      expect(runs).toBe(maxAttempts);
      expect(await rig.job(id)).toMatchObject({ state: "dead", attempt: maxAttempts });
      const retries = new Array<string>(maxAttempts - 1).fill("job.retrying");
      expect(rig.log.about(id)).toEqual([...retries, "job.dead"]);
    }
  });

  test("a NonRetryableError is the end at once", async () => {
    const { rig, id, job } = await run(() => {
      throw new NonRetryableError("no such address");
    });
    expect(job).toMatchObject({ state: "dead", attempt: 1, maxAttempts: 20 });
    expect(job.lastError).toMatchObject({ type: "NonRetryableError", message: "no such address" });
    expect(rig.log.about(id)).toEqual(["job.dead"]);
  });

  test("RetryAfter sets the delay and uses up the attempt", async () => {
    let runs = 0;
    const { rig, id, job } = await run(
      () => {
        runs += 1;
        throw new RetryAfter(77_000, "busy");
      },
      { maxAttempts: 2 },
    );
    expect(job).toMatchObject({ state: "scheduled", attempt: 1, runAt: rig.clock.now() + 77_000 });
    await rig.clock.advance(76_999);
    expect(runs).toBe(1);
    await rig.clock.advance(1);
    expect(runs).toBe(2);
    expect(await rig.job(id)).toMatchObject({ state: "dead", attempt: 2, lastError: { message: "busy" } });
  });

  test("RTY-07 Snooze is no failure: after a thousand of them one attempt is counted", async () => {
    let runs = 0;
    const { rig, id } = await run(
      ({ job }) => {
        expect(job.attempt).toBe(1);
        runs += 1;
        if (runs <= 1_000) throw new Snooze(runs % 100 === 0 ? 50 : 0);
        return "awake";
      },
      { maxAttempts: 2 },
    );
    for (let hundreds = 0; hundreds < 10; hundreds += 1) {
      expect(await rig.job(id)).toMatchObject({ state: "scheduled", attempt: 0, lastError: null });
      await rig.clock.advance(50);
    }
    expect(runs).toBe(1_001);
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 1, lastError: null });
    expect(await rig.konveier.jobs.attempts(id)).toHaveLength(1);
    expect(rig.log.of("job.snoozed")).toHaveLength(1_000);
    expect(new Set(rig.log.about(id))).toEqual(new Set(["job.snoozed", "job.completed"]));
  });

  test.each([1e300, Number.MAX_VALUE, 9e15])(
    "CLK-09 Snooze and RetryAfter of %d ms come back within a year",
    async (delayMs) => {
      for (const thrown of [new Snooze(delayMs), new RetryAfter(delayMs)]) {
        const { rig, job } = await run(() => {
          throw thrown;
        });
        expect(job.state).toBe("scheduled");
        expect(job.runAt).toBeLessThanOrEqual(rig.clock.now() + 365 * 24 * 3_600_000);
        expect(rig.log.names).not.toContain("internal.error");
      }
    },
  );
});
