import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS } from "./harness.js";

const NO_DELAY = { type: "fixed", delayMs: 0 } as const;
const LOST = { outcome: "lost", error: BOOM } as const;

export function reapContract(contract: Contract): void {
  describe("reap", () => {
    contract.test("takes a lease at the moment it ends, and not before", async (harness) => {
      const job = await harness.running({ backoff: NO_DELAY });
      harness.clock.block(LEASE_MS - 1);
      expect(await harness.store.claims.expired(10)).toEqual([]);
      expect(await harness.reap()).toBe(0);
      harness.clock.block(1);
      expect(await harness.store.claims.expired(10)).toEqual([
        {
          id: job.id,
          token: job.token,
          queue: "default",
          name: "work",
          workerId: "worker-a",
          attempt: 1,
          maxAttempts: 20,
          failures: 0,
          backoff: NO_DELAY,
        },
      ]);
      expect(await harness.reap()).toBe(1);
      expect(await harness.job(job.id)).toMatchObject({ state: "pending", attempt: 1 });
      expect((await harness.store.jobs.attempts(job.id))[0]).toMatchObject({
        outcome: "lost",
        workerId: "worker-a",
        finishedAt: T0 + LEASE_MS,
        error: { type: "LeaseExpired" },
      });
      expect(harness.events.of("job.lost")).toMatchObject([{ id: job.id, next: "retrying" }]);
    });

    contract.test(
      "LSE-03 LSE-15 a job that kills its worker is dead after maxAttempts starts",
      async (harness) => {
        const { id } = await harness.enqueue({ maxAttempts: 3, backoff: NO_DELAY });
        let starts = 0;
        for (let round = 0; round < 10; round += 1) {
          starts += (await harness.claim({ max: 10 })).length;
          harness.clock.block(LEASE_MS);
          await harness.reap();
        }
        expect(starts).toBe(3);
        const job = await harness.job(id);
        expect(job).toMatchObject({ state: "dead", attempt: 3, finishedAt: T0 + 3 * LEASE_MS });
        expect(job.lastError?.message).toMatch(/lease of worker "worker-a" ended/);
        expect(harness.events.about(id)).toEqual(["job.lost", "job.lost", "job.lost", "job.dead"]);
      },
    );

    contract.test(
      "LSE-04 a single attempt whose worker vanished ends in dead, with no worker around",
      async (harness) => {
        const job = await harness.running({ queue: "lonely", maxAttempts: 1 }, { queues: ["lonely"] });
        harness.clock.block(2_000);
        await harness.reap();
        expect((await harness.store.queues.get("lonely"))?.counts).toMatchObject({ running: 0, dead: 1 });
        expect(harness.events.of("job.lost")).toMatchObject([{ id: job.id, next: "dead" }]);
        expect(harness.events.of("job.dead")).toMatchObject([{ id: job.id }]);
      },
    );

    contract.test("RTY-06 a custom backoff decides after a lost lease too", async (harness) => {
      harness.engine.backoffFunctions.set("work", ({ failures, error }) => {
        expect(error).toMatch(/lease/);
        return failures * 5_000;
      });
      const { id } = await harness.enqueue();
      for (const delayMs of [5_000, 10_000]) {
        await harness.claimOne();
        harness.clock.block(LEASE_MS);
        await harness.reap();
        expect((await harness.job(id)).runAt).toBe(harness.clock.now() + delayMs);
        harness.clock.block(delayMs);
        await harness.store.claims.promote(1);
      }
    });

    contract.test("a lease that was extended after it was found is left alone", async (harness) => {
      const job = await harness.running();
      harness.clock.block(LEASE_MS);
      const [expired] = await harness.store.claims.expired(1);
      await harness.store.claims.extend([job], LEASE_MS);
      const bury = { verb: "bury", id: expired!.id, token: expired!.token, failure: LOST } as const;
      expect(await harness.store.claims.reap([bury])).toEqual([{ ok: false, reason: "reclaimed" }]);
      expect(await harness.store.claims.current(job)).toMatchObject({ id: job.id });
    });

    contract.test("takes the longest expired first and no more than asked", async (harness) => {
      await harness.enqueueMany(new Array(3).fill({ backoff: NO_DELAY }));
      const last = await harness.claimOne({ leaseMs: 900 });
      const first = await harness.claimOne({ leaseMs: 300 });
      const second = await harness.claimOne({ leaseMs: 600 });
      harness.clock.block(1_000);
      const ids = async (limit: number) => (await harness.store.claims.expired(limit)).map(({ id }) => id);
      expect(await ids(10)).toEqual([first.id, second.id, last.id]);
      expect(await harness.reap(2)).toBe(2);
      expect(await ids(10)).toEqual([last.id]);
    });

    contract.test(
      "CLM-13 two reapers at once, and a report of the worker on top, count one failure",
      async (harness) => {
        const job = await harness.running({ maxAttempts: 2, backoff: NO_DELAY });
        const [bystander] = await harness.enqueueMany([{ backoff: NO_DELAY }]);
        await harness.claimOne();
        harness.clock.block(LEASE_MS);
        await Promise.all([harness.reap(), harness.reap()]);
        const retry = { verb: "retry", id: job.id, token: job.token, delayMs: 0, failure: LOST } as const;
        expect(await harness.store.claims.reap([retry])).toEqual([{ ok: false, reason: "reclaimed" }]);
        expect(await harness.store.claims.settle([retry])).toMatchObject([{ ok: true, state: "pending" }]);
        expect(await harness.job(job.id)).toMatchObject({ state: "pending", attempt: 1 });
        expect(await harness.store.jobs.attempts(job.id)).toHaveLength(1);
        expect(await harness.state(bystander!.id)).toBe("pending");
        expect(harness.events.of("job.lost")).toHaveLength(2);
      },
    );

    contract.test(
      "LSE-12 complete against the reaper: each job ends one way, and none is a ghost",
      async (harness) => {
        const jobs = 300;
        await harness.enqueueMany(new Array(jobs).fill({ payload: { real: true }, backoff: NO_DELAY }));
        const other = await harness.another();
        const claimed = await harness.claim({ max: jobs });
        harness.clock.block(LEASE_MS);
        const retry = { verb: "retry", delayMs: 0, failure: LOST } as const;
        const outcomes = await Promise.all(
          claimed.map(async ({ id, token }, index) => {
            const complete = () =>
              harness.store.claims.settle([
                { verb: "complete", id, token, result: '"done"', resultProblem: null },
              ]);
            const reap = () => other.claims.reap([{ ...retry, id, token }]);
            const calls = index % 2 === 0 ? [complete(), reap()] : [reap(), complete()];
            return (await Promise.all(calls)).map(([answer]) => answer!.ok);
          }),
        );
        for (const oks of outcomes) expect(oks.filter((ok) => ok)).toHaveLength(1);
        const again = await harness.claim({ max: jobs });
        for (const job of again)
          expect(job).toMatchObject({ name: "work", payload: '{"real":true}', attempt: 2 });
        for (const job of again) await harness.complete(job);
        const completed = await allJobs(harness.store, { state: "completed" });
        expect(completed).toHaveLength(jobs);
      },
    );
  });
}
