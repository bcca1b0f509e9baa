import { describe, expect } from "vitest";
import { retry, retryMany } from "../../src/engine/retry.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, refusal, type Harness } from "./harness.js";

const NO_DELAY = { type: "fixed", delayMs: 0 } as const;

/** Makes dead jobs, in the order of the requests. */
async function bury(harness: Harness, requests: readonly object[]): Promise<string[]> {
  const jobs = await harness.enqueueMany(requests);
  for (const { queue } of jobs) {
    await harness.fail(await harness.claimOne({ queues: [queue] }), "never");
    harness.clock.block(1);
  }
  return jobs.map(({ id }) => id);
}

export function reviveContract(contract: Contract): void {
  describe("retry by hand", () => {
    contract.test("RTY-15 gives a dead job a fresh budget and keeps its history", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 2, backoff: NO_DELAY });
      for (let budget = 1; budget <= 3; budget += 1) {
        for (let run = 1; run <= 2; run += 1) {
          const job = await harness.claimOne();
          expect(job).toMatchObject({ attempt: (budget - 1) * 2 + run, failures: run - 1 });
          await harness.fail(job);
        }
        expect(await harness.state(id)).toBe("dead");
        harness.clock.block(10);
        const revived = await retry(harness.engine, id);
        expect(revived).toMatchObject({
          state: "pending",
          attempt: budget * 2,
          maxAttempts: (budget + 1) * 2,
          runAt: harness.clock.now(),
          finishedAt: null,
        });
        expect(await harness.store.jobs.attempts(id)).toHaveLength(budget * 2);
      }
      expect((await harness.job(id)).lastError).toEqual(BOOM);
    });

    contract.test("the backoff starts anew with the budget", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 3, backoff: { type: "exponential", baseMs: 100 } });
      const delays: number[] = [];
      const failOnce = async () => {
        await harness.fail(await harness.claimOne());
        const { state, runAt } = await harness.job(id);
        if (state === "dead") return;
        delays.push(runAt - harness.clock.now());
        harness.clock.block(runAt - harness.clock.now());
        await harness.store.claims.promote(1);
      };
      for (let run = 1; run <= 3; run += 1) await failOnce();
      await retry(harness.engine, id);
      for (let run = 1; run <= 3; run += 1) await failOnce();
      expect(delays).toEqual([100, 200, 100, 200]);
    });

    contract.test("RTY-15 a double-click is one retry", async (harness) => {
      const [id] = await bury(harness, [{ maxAttempts: 1 }]);
      const [first, second] = await Promise.all([retry(harness.engine, id!), retry(harness.engine, id!)]);
      expect(first).toEqual(second);
      expect(first.maxAttempts).toBe(2);
      expect(await harness.claim({ max: 10 })).toHaveLength(1);
    });

    contract.test("a cancelled job can be retried too, also one that was running", async (harness) => {
      const job = await harness.running({ maxAttempts: 1 });
      await harness.store.jobs.cancel(job.id);
      expect(await retry(harness.engine, job.id)).toMatchObject({ state: "pending", maxAttempts: 2 });
      const again = await harness.claimOne();
      expect(again).toMatchObject({ id: job.id, attempt: 2, failures: 0 });
      await harness.complete(again);
      expect((await harness.store.jobs.attempts(job.id)).map(({ outcome }) => outcome)).toEqual([
        "cancelled",
        "completed",
      ]);
    });

    contract.test("a job that died of lost leases can be retried", async (harness) => {
      const job = await harness.running({ maxAttempts: 1 });
      harness.clock.block(LEASE_MS);
      await harness.reap();
      expect(await retry(harness.engine, job.id)).toMatchObject({ state: "pending" });
      await harness.complete(await harness.claimOne());
    });

    contract.test("is refused for every other state and for a job that is not there", async (harness) => {
      const scheduled = await harness.enqueue({ delayMs: 100 });
      const running = await harness.running();
      const done = await harness.running();
      await harness.complete(done);
      for (const { id } of [scheduled, running, done]) {
        expect(await refusal(retry(harness.engine, id))).toBe("invalid_state");
      }
      expect(await refusal(retry(harness.engine, "999"))).toBe("job_not_found");
    });
  });

  describe("retry many by hand", () => {
    contract.test("RTY-15 retries what matches and nothing else", async (harness) => {
      const requests = [
        { queue: "a", name: "x", tags: ["red"] },
        { queue: "a", name: "y" },
        { queue: "b", name: "x", tags: ["red"] },
        { queue: "b", name: "y", tags: ["blue"] },
      ];
      const cases = [
        [{ queue: "a" }, [0, 1]],
        [{ name: "x" }, [0, 2]],
        [{ tag: "red" }, [0, 2]],
        [{ queue: "b", tag: "red" }, [2]],
        [{ queue: "none" }, []],
      ] as const;
      for (const [filter, expected] of cases) {
        const ids = await bury(harness, requests);
        expect(await retryMany(harness.engine, filter)).toBe(expected.length);
        const pending = await allJobs(harness.store, { state: "pending" });
        const wanted = expected.map((index: number) => ids[index]!);
        expect(new Set(pending.map(({ id }) => id))).toEqual(new Set(wanted));
        for (const { id } of await allJobs(harness.store)) await harness.store.jobs.delete(id, true);
      }
    });

    contract.test("takes dead jobs only, oldest first, no more than asked", async (harness) => {
      const ids = await bury(harness, [{}, {}, {}]);
      const cancelled = await harness.enqueue();
      await harness.store.jobs.cancel(cancelled.id);
      const revive = (limit: number) =>
        harness.store.jobs.reviveMany({ queue: "default" }, harness.clock.now(), limit);
      expect(await revive(2)).toBe(2);
      const states = await Promise.all([...ids, cancelled.id].map(harness.state));
      expect(states).toEqual(["pending", "pending", "dead", "cancelled"]);
      expect(await revive(2)).toBe(1);
      expect(await revive(2)).toBe(0);
    });

    contract.test(
      "does not take jobs that died later: a job that dies again is retried once",
      async (harness) => {
        const [early, late] = await bury(harness, [{}, {}]);
        const { finishedAt } = await harness.job(early!);
        const revive = () => harness.store.jobs.reviveMany({ queue: "default" }, finishedAt!, 10);
        expect(await revive()).toBe(1);
        await harness.fail(await harness.claimOne(), "never");
        expect(await revive()).toBe(0);
        expect([await harness.state(early!), await harness.state(late!)]).toEqual(["dead", "dead"]);
      },
    );

    contract.test("RTY-15 retries more jobs than one batch, each once", async (harness) => {
      await harness.enqueueMany(new Array(1_000).fill({ maxAttempts: 1 }));
      await harness.enqueueMany(new Array(300).fill({ maxAttempts: 1 }));
      for (const max of [1_000, 300]) {
        const jobs = await harness.claim({ max });
        await harness.store.claims.settle(
          jobs.map(({ id, token }) => ({
            verb: "bury",
            id,
            token,
            failure: { outcome: "failed", error: BOOM },
          })),
        );
      }
      expect(await retryMany(harness.engine, { name: "work" })).toBe(1_300);
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({ pending: 1_300, dead: 0 });
      expect(await retryMany(harness.engine, { name: "work" })).toBe(0);
    });

    contract.test("GRW-10 needs a condition, spelled right and not empty", async (harness) => {
      await bury(harness, [{}]);
      const filters = [
        {},
        { queue: "" },
        { name: undefined },
        { nmae: "work" },
        { queue: "default", state: "dead" },
      ];
      for (const filter of filters) {
        expect(await refusal(retryMany(harness.engine, filter as object))).toBe("validation_failed");
      }
      expect((await harness.store.queues.get("default"))?.counts.dead).toBe(1);
    });
  });

  describe("statistics of a retry by hand", () => {
    contract.test("count the new attempts and no second enqueue", async (harness) => {
      const [id] = await bury(harness, [{}]);
      await retry(harness.engine, id!);
      await harness.complete(await harness.claimOne());
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 60_000, step: "minute" }, "lanes");
      expect(stat?.events).toMatchObject({ enqueued: 1, started: 2, failed: 1, dead: 1, completed: 1 });
    });
  });
}
