import { describe, expect } from "vitest";
import { MAX_ATTEMPTS_KEPT } from "../../src/core/defaults.js";
import type { ClaimedJob } from "../../src/core/job.js";
import type { Failure } from "../../src/store/claims.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, type Harness } from "./harness.js";

const FIXED_5_S = { type: "fixed", delayMs: 5_000 } as const;
const NO_DELAY = { type: "fixed", delayMs: 0 } as const;

export function settleContract(contract: Contract): void {
  describe("complete", () => {
    contract.test("keeps the result", async (harness) => {
      const job = await harness.running({ payload: 1 });
      harness.clock.block(40);
      expect(await harness.complete(job, { ok: true })).toEqual({ ok: true, state: "completed", runAt: T0 });
      expect(await harness.job(job.id)).toMatchObject({
        state: "completed",
        attempt: 1,
        startedAt: T0,
        finishedAt: T0 + 40,
        leaseExpiresAt: null,
        workerId: "worker-a",
        resultBytes: 11,
        resultProblem: null,
      });
      expect(await harness.store.jobs.result(job.id)).toBe('{"ok":true}');
      expect(await harness.store.jobs.attempts(job.id)).toMatchObject([
        { number: 1, token: job.token, outcome: "completed", startedAt: T0, finishedAt: T0 + 40 },
      ]);
      expect(harness.events.of("job.completed")).toMatchObject([{ id: job.id, durationMs: 40 }]);
    });

    contract.test("nothing, null and false are different results", async (harness) => {
      for (const [result, text] of [
        [undefined, null],
        [null, "null"],
        [false, "false"],
        ["", '""'],
      ]) {
        const job = await harness.running();
        await harness.complete(job, result);
        expect(await harness.store.jobs.result(job.id)).toBe(text);
      }
    });

    contract.test("PGS-04 saying it again is fine and changes nothing", async (harness) => {
      const job = await harness.running();
      await harness.complete(job, "first");
      harness.clock.block(500);
      expect(await harness.complete(job, "second")).toMatchObject({ ok: true, state: "completed" });
      expect(await harness.store.jobs.result(job.id)).toBe('"first"');
      expect((await harness.job(job.id)).finishedAt).toBe(T0);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
      expect(stat?.events.completed).toBe(1);
    });

    contract.test(
      "PAY-04 PAY-06 a result that cannot be stored completes the job and says why",
      async (harness) => {
        const cycle: Record<string, unknown> = {};
        cycle["self"] = cycle;
        for (const [result, problem] of [
          [{ n: 1n }, "$.n is a BigInt"],
          [cycle, "$.self is a reference to itself"],
          ["x".repeat(300_000), "256 * 1024"],
          [() => 1, "$ is a function"],
        ] as const) {
          const job = await harness.running();
          await harness.complete(job, result);
          const { state, resultProblem, resultBytes } = await harness.job(job.id);
          expect({ state, resultBytes }).toEqual({ state: "completed", resultBytes: null });
          expect(resultProblem).toContain(problem === "256 * 1024" ? "262144" : problem);
          expect(await harness.store.jobs.result(job.id)).toBeNull();
        }
      },
    );
  });

  describe("fail", () => {
    contract.test("RTY-04 maxAttempts counts runs: 3 means three", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 3, backoff: FIXED_5_S });
      const states: string[] = [];
      for (let run = 1; run <= 3; run += 1) {
        await harness.fail(await harness.claimOne());
        states.push(await harness.state(id));
        expect(await harness.claim()).toEqual([]);
        harness.clock.block(5_000);
        await harness.store.claims.promote(10);
      }
      expect(states).toEqual(["scheduled", "scheduled", "dead"]);
      expect(await harness.job(id)).toMatchObject({ attempt: 3, maxAttempts: 3, lastError: BOOM });
      expect(await harness.claim()).toEqual([]);
      expect(harness.events.about(id)).toEqual(["job.retrying", "job.retrying", "job.dead"]);
    });

    contract.test("RTY-04 maxAttempts 1 means one run and no retry", async (harness) => {
      const job = await harness.running({ maxAttempts: 1 });
      await harness.fail(job);
      expect(await harness.job(job.id)).toMatchObject({ state: "dead", attempt: 1 });
      expect(harness.events.about(job.id)).toEqual(["job.dead"]);
    });

    contract.test("the delay counts from the failure, by the store's clock", async (harness) => {
      const job = await harness.running({ backoff: FIXED_5_S });
      harness.clock.block(700);
      expect(await harness.fail(job)).toEqual({ ok: true, state: "scheduled", runAt: T0 + 5_700 });
      harness.clock.block(4_999);
      expect(await harness.store.claims.promote(1)).toBe(0);
      harness.clock.block(1);
      expect(await harness.store.claims.promote(1)).toBe(1);
    });

    contract.test("RTY-03 a backoff without a base still waits, and doubles", async (harness) => {
      const { id } = await harness.enqueue({ backoff: { type: "exponential" } });
      for (const delayMs of [1_000, 2_000, 4_000, 8_000]) {
        const job = await harness.claimOne();
        await harness.fail(job);
        expect((await harness.job(id)).runAt).toBe(harness.clock.now() + delayMs);
        harness.clock.block(delayMs);
        await harness.store.claims.promote(1);
      }
    });

    contract.test("a failure for good needs no further attempt", async (harness) => {
      const job = await harness.running({ maxAttempts: 5 });
      expect(await harness.fail(job, "never")).toMatchObject({ ok: true, state: "dead" });
      expect(await harness.store.jobs.attempts(job.id)).toMatchObject([
        { outcome: "failed", retryDelayMs: null },
      ]);
    });

    contract.test(
      "a delay of the handler's choice replaces the backoff and uses up the attempt",
      async (harness) => {
        const { id } = await harness.enqueue({ maxAttempts: 2, backoff: FIXED_5_S });
        await harness.fail(await harness.claimOne(), { delayMs: 70 });
        expect(await harness.job(id)).toMatchObject({ state: "scheduled", runAt: T0 + 70, attempt: 1 });
        harness.clock.block(70);
        await harness.store.claims.promote(1);
        await harness.fail(await harness.claimOne(), { delayMs: 70 });
        expect(await harness.state(id)).toBe("dead");
      },
    );

    contract.test("saying it again is fine and changes nothing", async (harness) => {
      const job = await harness.running({ backoff: FIXED_5_S });
      await harness.fail(job);
      harness.clock.block(100);
      expect(await harness.fail(job)).toEqual({ ok: true, state: "scheduled", runAt: T0 + 5_000 });
      expect(await harness.store.jobs.attempts(job.id)).toHaveLength(1);
      harness.clock.block(4_900);
      await harness.store.claims.promote(1);
      const next = await harness.claimOne();
      expect(await harness.fail(job)).toMatchObject({ ok: true, state: "running" });
      expect(await harness.store.claims.current(next)).toEqual(next);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 60_000, step: "minute" }, "lanes");
      expect(stat?.events).toMatchObject({ failed: 1, retried: 1 });
    });

    const FAILURES: readonly Failure["outcome"][] = ["failed", "timed_out", "lost"];
    for (const outcome of FAILURES) {
      contract.test(`RTY-06 RTY-10 every kind of failure is retried alike: ${outcome}`, async (harness) => {
        for (const maxAttempts of [1, 2]) {
          const { id } = await harness.enqueue({ maxAttempts, backoff: FIXED_5_S });
          for (let run = 1; run <= maxAttempts; run += 1) {
            const job = await harness.claimOne();
            const failedAt = harness.clock.now();
            await harness.fail(job, "auto", { outcome, error: BOOM });
            if (run < maxAttempts) expect((await harness.job(id)).runAt).toBe(failedAt + 5_000);
            harness.clock.block(5_000);
            await harness.store.claims.promote(1);
          }
          expect(await harness.job(id)).toMatchObject({ state: "dead", attempt: maxAttempts });
          const attempts = await harness.store.jobs.attempts(id);
          expect(attempts.map((attempt) => attempt.outcome)).toEqual(new Array(maxAttempts).fill(outcome));
        }
      });
    }

    contract.test("the history keeps the latest attempts and is bounded", async (harness) => {
      const attempts = MAX_ATTEMPTS_KEPT + 5;
      const { id } = await harness.enqueue({ maxAttempts: attempts, backoff: NO_DELAY });
      for (let run = 1; run <= attempts; run += 1) {
        const error = { type: "Error", message: `failure ${run}`, stack: "stack" };
        await harness.fail(await harness.claimOne(), "auto", { outcome: "failed", error });
      }
      const kept = await harness.store.jobs.attempts(id);
      expect(kept.map(({ number }) => number)).toEqual(
        Array.from({ length: MAX_ATTEMPTS_KEPT }, (_, index) => index + 6),
      );
      expect(kept.at(-1)?.error).toEqual({ type: "Error", message: `failure ${attempts}`, stack: "stack" });
      expect((await harness.job(id)).lastError?.message).toBe(`failure ${attempts}`);
    });
  });

  describe("release", () => {
    contract.test("gives the attempt back and the job its place in the queue", async (harness) => {
      const [first] = await harness.enqueueMany([{ maxAttempts: 1 }, {}, {}]);
      harness.clock.block(10);
      const job = await harness.claimOne();
      expect(await harness.release(job)).toEqual({ ok: true, state: "pending", runAt: T0 });
      expect(await harness.job(first!.id)).toMatchObject({
        state: "pending",
        attempt: 0,
        leaseExpiresAt: null,
      });
      expect(await harness.store.jobs.attempts(first!.id)).toEqual([]);
      const again = await harness.claimOne();
      expect(again).toMatchObject({ id: first!.id, attempt: 1, failures: 0 });
      expect(again.token).toBeGreaterThan(job.token);
    });

    contract.test("saying it again is fine and changes nothing", async (harness) => {
      const job = await harness.running();
      await harness.release(job);
      expect(await harness.release(job)).toMatchObject({ ok: true, state: "pending" });
      expect((await harness.job(job.id)).attempt).toBe(0);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
      expect(stat?.events.released).toBe(1);
    });
  });

  describe("snooze", () => {
    contract.test("gives the attempt back and waits", async (harness) => {
      const job = await harness.running();
      expect(await harness.snooze(job, 300)).toEqual({ ok: true, state: "scheduled", runAt: T0 + 300 });
      expect(await harness.job(job.id)).toMatchObject({ state: "scheduled", attempt: 0, lastError: null });
      expect(harness.events.about(job.id)).toEqual(["job.snoozed"]);
    });

    contract.test("is not what a release was, nor the other way round", async (harness) => {
      const [a, b] = [await harness.running(), await harness.running()];
      await harness.release(a);
      await expect(harness.snooze(a, 300)).rejects.toMatchObject({ code: "lease_lost" });
      await expect(harness.snooze(a, 0)).rejects.toMatchObject({ code: "lease_lost" });
      expect(await harness.job(a.id)).toMatchObject({ state: "pending", startedAt: null });
      await harness.snooze(b, 300);
      await expect(harness.release(b)).rejects.toMatchObject({ code: "lease_lost" });
      expect(await harness.snooze(b, 700)).toMatchObject({ ok: true, runAt: T0 + 300 });
      expect(await harness.job(b.id)).toMatchObject({ state: "scheduled", startedAt: T0 });
    });

    contract.test("RTY-07 1 000 snoozes use up no attempt and leave nothing behind", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 2 });
      for (let times = 0; times < 1_000; times += 1) {
        const job = await harness.claimOne();
        expect(job.attempt).toBe(1);
        await harness.snooze(job, times % 2);
        harness.clock.block(1);
        await harness.store.claims.promote(1);
      }
      await harness.complete(await harness.claimOne());
      expect(await harness.job(id)).toMatchObject({ state: "completed", attempt: 1 });
      expect(await harness.store.jobs.attempts(id)).toHaveLength(1);
      expect(harness.events.of("job.snoozed")).toHaveLength(1_000);
      expect(harness.events.of("job.retrying")).toEqual([]);
    });

    contract.test("RTY-07 snooze 0 makes it pending at once and is no failure", async (harness) => {
      const job = await harness.running({ maxAttempts: 1 });
      expect(await harness.snooze(job, 0)).toMatchObject({ ok: true, state: "pending" });
      expect((await harness.claimOne()).attempt).toBe(1);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
      expect(stat?.events).toMatchObject({ snoozed: 1, failed: 0, dead: 0 });
    });
  });

  describe("settle many", () => {
    contract.test("each claim for itself, answered in order", async (harness) => {
      await harness.enqueueMany(new Array(4).fill({}));
      const [a, b, c, d] = (await harness.claim({ max: 4 })) as [
        ClaimedJob,
        ClaimedJob,
        ClaimedJob,
        ClaimedJob,
      ];
      await harness.store.jobs.cancel(b.id);
      await harness.store.jobs.delete(c.id, true);
      const done = { verb: "complete", result: null, resultProblem: null } as const;
      expect(
        await harness.store.claims.settle([
          { ...done, id: d.id, token: d.token },
          { ...done, id: c.id, token: c.token },
          { ...done, id: b.id, token: b.token },
          { verb: "release", id: a.id, token: a.token },
          { ...done, id: "no id", token: 1 },
        ]),
      ).toEqual([
        { ok: true, state: "completed", runAt: T0 },
        { ok: false, reason: "gone" },
        { ok: false, reason: "cancelled" },
        { ok: true, state: "pending", runAt: T0 },
        { ok: false, reason: "gone" },
      ]);
      expect(await harness.store.claims.settle([])).toEqual([]);
    });

    contract.test("the same completion twice in one call counts once", async (harness) => {
      const { id, token } = await harness.running();
      const done = { verb: "complete", id, token, result: "1", resultProblem: null } as const;
      const ok = { ok: true, state: "completed", runAt: T0 };
      expect(await harness.store.claims.settle([done, { ...done, result: "2" }])).toEqual([ok, ok]);
      expect(await harness.store.jobs.result(id)).toBe("1");
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
      expect(stat?.events).toMatchObject({ completed: 1 });
    });

    for (const [verbs, state] of [
      [["release", "complete"], "pending"],
      [["snooze", "complete", "complete"], "scheduled"],
      [["retry", "complete"], "scheduled"],
      [["bury", "complete"], "dead"],
      [["complete", "release"], "completed"],
      [["complete", "bury"], "completed"],
    ] as const) {
      contract.test(
        `contradictions in one call: what was said first holds, ${verbs.join()}`,
        async (harness) => {
          const [{ id, token }, other] = [await harness.running(), await harness.running()];
          const failure: Failure = { outcome: "failed", error: BOOM };
          const said = {
            complete: { verb: "complete", id, token, result: "1", resultProblem: null },
            release: { verb: "release", id, token },
            snooze: { verb: "snooze", id, token, delayMs: 1_000 },
            retry: { verb: "retry", id, token, delayMs: 1_000, failure },
            bury: { verb: "bury", id, token, failure },
          } as const;
          const answers = await harness.store.claims.settle([
            ...verbs.map((verb) => said[verb]),
            { ...said.complete, id: other.id, token: other.token },
          ]);
          expect(answers.map(({ ok }) => ok)).toEqual([true, ...verbs.slice(1).map(() => false), true]);
          expect((await harness.job(id)).state).toBe(state);
          expect((await harness.job(other.id)).state).toBe("completed");
          expect(await harness.store.jobs.result(id)).toBe(state === "completed" ? "1" : null);
        },
      );
    }

    contract.test("a completion counts when the end before it was that of a stale claim", async (harness) => {
      const { id, token } = await harness.running();
      const answers = await harness.store.claims.settle([
        { verb: "release", id, token: token + 1 },
        { verb: "complete", id, token, result: null, resultProblem: null },
      ]);
      expect(answers.map(({ ok }) => ok)).toEqual([false, true]);
    });

    contract.test("tokens of other claims in the same call are no help", async (harness) => {
      await harness.enqueueMany(new Array(2).fill({}));
      const [a, b] = (await harness.claim({ max: 2 })) as [ClaimedJob, ClaimedJob];
      const done = { verb: "complete", result: null, resultProblem: null } as const;
      const lost = { ok: false, reason: "reclaimed" };
      expect(
        await harness.store.claims.settle([
          { ...done, id: a.id, token: b.token },
          { ...done, id: b.id, token: a.token },
        ]),
      ).toEqual([lost, lost]);
      expect(await harness.state(a.id)).toBe("running");
      expect(await harness.state(b.id)).toBe("running");
    });
  });

  describe("ORD-01 a job that runs again keeps its priority", () => {
    const ways: Readonly<Record<string, (harness: Harness, job: ClaimedJob) => Promise<unknown>>> = {
      "a failure without delay": (harness, job) => harness.fail(job, { delayMs: 0 }),
      "a failure with a delay, once due": async (harness, job) => {
        await harness.fail(job, { delayMs: 100 });
        harness.clock.block(100);
        await harness.store.claims.promote(10);
      },
      "the end of its lease": async (harness) => {
        harness.clock.block(LEASE_MS);
        await harness.reap();
        harness.clock.block(100);
        await harness.store.claims.promote(10);
      },
      "a snooze": async (harness, job) => {
        await harness.snooze(job, 100);
        harness.clock.block(100);
        await harness.store.claims.promote(10);
      },
      "a release": (harness, job) => harness.release(job),
      "a pause of its queue": async (harness, job) => {
        await harness.fail(job, { delayMs: 0 });
        await harness.store.queues.pause("default", null);
        expect(await harness.claim()).toEqual([]);
        await harness.store.queues.resume("default");
      },
    };
    for (const [way, happen] of Object.entries(ways)) {
      contract.test(`after ${way}`, async (harness) => {
        const urgent = await harness.running({ priority: 9, backoff: { type: "fixed", delayMs: 100 } });
        await harness.enqueueMany(new Array(10).fill({ priority: 1 }));
        await happen(harness, urgent);
        expect(await harness.claimOne()).toMatchObject({ id: urgent.id, priority: 9 });
      });
    }
  });
}
