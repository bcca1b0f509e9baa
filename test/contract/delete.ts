import { describe, expect } from "vitest";
import { deleteJob } from "../../src/engine/delete.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { refusal } from "./harness.js";

export function deleteContract(contract: Contract): void {
  describe("delete", () => {
    contract.test("removes a job in any state but running, with all that belongs to it", async (harness) => {
      const pending = await harness.enqueue({ tags: ["t"], idempotencyKey: "K" });
      const scheduled = await harness.enqueue({ delayMs: 100, tags: ["t"] });
      const done = await harness.running({ priority: 9, tags: ["t"] });
      await harness.store.claims.progress(done, 50, "half");
      await harness.store.claims.log(done, [{ level: "info", message: "line" }]);
      await harness.complete(done, "result");
      const dead = await harness.running({ priority: 9, tags: ["t"] });
      await harness.fail(dead, "never");
      const cancelled = await harness.enqueue({ tags: ["t"] });
      await harness.store.jobs.cancel(cancelled.id);

      for (const { id } of [pending, scheduled, done, dead, cancelled]) {
        await deleteJob(harness.engine, id);
        expect(await harness.store.jobs.detail(id)).toBeNull();
        expect(await harness.store.jobs.payload(id)).toBeNull();
        expect(await harness.store.jobs.result(id)).toBeNull();
        expect(await harness.store.jobs.attempts(id)).toEqual([]);
        expect(await harness.store.jobs.logs(id, 0, 10)).toEqual([]);
        expect(await refusal(deleteJob(harness.engine, id))).toBe("job_not_found");
      }
      expect(await allJobs(harness.store)).toEqual([]);
      expect(await allJobs(harness.store, { tag: "t" })).toEqual([]);
      expect(await harness.store.claims.nextDue()).toBeNull();
    });

    contract.test("removes a running job only with force", async (harness) => {
      const job = await harness.running();
      expect(await refusal(deleteJob(harness.engine, job.id))).toBe("invalid_state");
      expect(await harness.store.claims.current(job)).toEqual(job);
      await deleteJob(harness.engine, job.id, { force: true });
      expect(await harness.store.claims.current(job)).toBe("gone");
      expect(await harness.claim({ max: 10 })).toEqual([]);
    });

    contract.test("the id is not given to another job", async (harness) => {
      const { id } = await harness.enqueue();
      await deleteJob(harness.engine, id);
      const [next] = await harness.enqueueMany([{}, {}]);
      expect(Number(next!.id)).toBeGreaterThan(Number(id));
    });

    contract.test("does not touch jobs with the same tags", async (harness) => {
      const [a, b] = await harness.enqueueMany([{ tags: ["t", "u"] }, { tags: ["t"] }]);
      await deleteJob(harness.engine, a!.id);
      expect((await allJobs(harness.store, { tag: "t" })).map(({ id }) => id)).toEqual([b!.id]);
      expect(await allJobs(harness.store, { tag: "u" })).toEqual([]);
    });
  });
}
