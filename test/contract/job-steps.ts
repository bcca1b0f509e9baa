import { describe, expect } from "vitest";
import { MAX_STEPS } from "../../src/core/defaults.js";
import type { ClaimedJob } from "../../src/core/job.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { LEASE_MS, refusal, type Harness } from "./harness.js";

const CHARGED = { found: true, result: '{"amount":7}' };

/** A running job with one step. */
async function charged(harness: Harness): Promise<ClaimedJob> {
  const job = await harness.running({ maxAttempts: 5, backoff: { type: "fixed", delayMs: 0 } });
  expect(await harness.store.steps.store(job, "charge", CHARGED.result)).toBeNull();
  return job;
}

/** Ways from one claim of a job to the next one. */
const AGAIN: Readonly<Record<string, (harness: Harness, job: ClaimedJob) => Promise<unknown>>> = {
  "a failure": (harness, job) => harness.fail(job, { delayMs: 0 }),
  "a release": (harness, job) => harness.release(job),
  "a snooze": (harness, job) => harness.snooze(job, 0),
  "a lost lease": async (harness) => {
    harness.clock.block(LEASE_MS);
    await harness.reap();
    await harness.store.claims.promote(1);
  },
  "a death and a retry by hand": async (harness, job) => {
    await harness.fail(job, "never");
    await harness.store.jobs.revive(job.id);
  },
  "a cancel and a retry by hand": async (harness, job) => {
    await harness.store.jobs.cancel(job.id);
    await harness.store.jobs.revive(job.id);
  },
};

export function jobStepsContract(contract: Contract): void {
  describe("steps", () => {
    for (const [what, again] of Object.entries(AGAIN)) {
      contract.test(`are found again after ${what}`, async (harness) => {
        const first = await charged(harness);
        await again(harness, first);
        const second = await harness.claimOne();
        expect(second.id).toBe(first.id);
        expect(await harness.store.steps.find(second, "charge")).toEqual(CHARGED);
        expect(await harness.store.steps.find(second, "ship")).toEqual({ found: false });
      });
    }

    contract.test(
      "are listed in their order, with their attempts, and outlive the job's end",
      async (harness) => {
        const { steps } = harness.store;
        const first = await charged(harness);
        await harness.fail(first, { delayMs: 0 });
        harness.clock.block(10);
        const second = await harness.claimOne();
        await steps.store(second, "a\u{1f600}", null);
        await steps.store(second, "C", '"é"');
        await harness.complete(second);
        expect(await steps.list(first.id)).toEqual([
          { seq: 1, name: "charge", attempt: 1, at: T0, resultBytes: 12 },
          { seq: 2, name: "a\u{1f600}", attempt: 2, at: T0 + 10, resultBytes: null },
          { seq: 3, name: "C", attempt: 2, at: T0 + 10, resultBytes: 4 },
        ]);
        const results = await Promise.all([1, 2, 3, 4].map((seq) => steps.result(first.id, seq)));
        expect(results).toEqual(['{"amount":7}', null, '"é"', null]);
        for (const id of ["999", "0", "no id"]) {
          expect(await steps.list(id)).toEqual([]);
          expect(await steps.result(id, 1)).toBeNull();
        }
      },
    );

    contract.test("that gave nothing are done too", async (harness) => {
      const job = await harness.running();
      await harness.store.steps.store(job, "notify", null);
      expect(await harness.store.steps.find(job, "notify")).toEqual({ found: true, result: null });
    });

    contract.test("are stored once, also when they are said again", async (harness) => {
      const job = await charged(harness);
      expect(await harness.store.steps.store(job, "charge", CHARGED.result)).toBeNull();
      expect(await harness.store.steps.store(job, "charge", "2")).toBeNull();
      expect(await harness.store.steps.find(job, "charge")).toEqual(CHARGED);
      expect(await harness.store.steps.list(job.id)).toHaveLength(1);
    });

    contract.test("belong to one job, and are numbered when they come at once", async (harness) => {
      const [a, b] = [await harness.running(), await harness.running()];
      const names = Array.from({ length: 20 }, (_, index) => `step ${index}`);
      const another = await harness.another();
      await Promise.all(
        names.flatMap((name, index) => [
          harness.store.steps.store(a, name, "1"),
          // Two connections, one claim: nobody may take the same number.
          another.steps.store(b, name, String(index)),
          harness.store.steps.store(b, name, String(index)),
        ]),
      );
      for (const { id } of [a, b]) {
        const list = await harness.store.steps.list(id);
        expect(list.map(({ seq }) => seq)).toEqual(names.map((_, index) => index + 1));
        expect(new Set(list.map(({ name }) => name))).toEqual(new Set(names));
      }
      expect(await harness.store.steps.find(b, "step 7")).toEqual({ found: true, result: "7" });
    });

    contract.test(
      "are bounded in number, and who asks learns it before the work",
      async (harness) => {
        const { steps } = harness.store;
        const job = await harness.running();
        const seqs = Array.from({ length: MAX_STEPS }, (_, index) => index + 1);
        // In parts: all at once would wait for one row for longer than PostgreSQL may take.
        for (let from = 0; from < MAX_STEPS; from += 50) {
          const part = seqs.slice(from, from + 50);
          await Promise.all(part.map((seq) => steps.store(job, `step ${seq}`, "0")));
        }
        expect(await refusal(steps.find(job, "one more"))).toBe("too_many_steps");
        expect(await refusal(steps.store(job, "one more", "0"))).toBe("too_many_steps");
        expect(await steps.find(job, "step 1")).toEqual({ found: true, result: "0" });
        expect(await steps.store(job, "step 1", "0")).toBeNull();
        expect(await steps.list(job.id)).toHaveLength(MAX_STEPS);
      },
      30_000,
    );

    contract.test("are looked for by the current claim only", async (harness) => {
      const first = await charged(harness);
      await harness.release(first);
      const second = await harness.claimOne();
      expect(await harness.store.steps.find(first, "charge")).toBe("reclaimed");
      expect(await harness.store.steps.find({ id: "no id", token: 1 }, "charge")).toBe("gone");
      await harness.store.jobs.cancel(second.id);
      expect(await harness.store.steps.find(second, "charge")).toBe("cancelled");
      await harness.store.jobs.delete(second.id, false);
      expect(await harness.store.steps.find(second, "charge")).toBe("gone");
      expect(await harness.store.steps.list(second.id)).toEqual([]);
      expect(await harness.store.steps.result(second.id, 1)).toBeNull();
    });
  });
}
