import { describe, expect } from "vitest";
import { cancel } from "../../src/engine/cancel.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { refusal } from "./harness.js";

export function cancelContract(contract: Contract): void {
  describe("cancel", () => {
    contract.test("ends a job that waits", async (harness) => {
      for (const { id } of await harness.enqueueMany([{}, { delayMs: 1_000 }])) {
        harness.clock.block(10);
        expect(await cancel(harness.engine, id)).toMatchObject({
          state: "cancelled",
          finishedAt: harness.clock.now(),
        });
        expect(harness.events.about(id)).toEqual(["job.cancelled"]);
        expect(await harness.store.jobs.attempts(id)).toEqual([]);
      }
      harness.clock.block(1_000);
      expect(await harness.store.claims.promote(10)).toBe(0);
      expect(await harness.claim({ max: 10 })).toEqual([]);
    });

    contract.test("ends a running job at once; its claim is no longer the current one", async (harness) => {
      const job = await harness.running();
      harness.clock.block(20);
      expect(await cancel(harness.engine, job.id)).toMatchObject({
        state: "cancelled",
        leaseExpiresAt: null,
      });
      expect(await harness.store.claims.extend([job], 1_000)).toEqual([{ ok: false, reason: "cancelled" }]);
      expect(await harness.store.jobs.attempts(job.id)).toMatchObject([
        {
          number: 1,
          token: job.token,
          outcome: "cancelled",
          startedAt: T0,
          finishedAt: T0 + 20,
          error: null,
        },
      ]);
      harness.clock.block(60_000);
      expect(await harness.reap()).toBe(0);
    });

    contract.test("cancelling again is fine and tells nobody twice", async (harness) => {
      const { id } = await harness.enqueue();
      const first = await cancel(harness.engine, id);
      harness.clock.block(10);
      expect(await cancel(harness.engine, id)).toEqual(first);
      expect(harness.events.about(id)).toEqual(["job.cancelled"]);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
      expect(stat?.events.cancelled).toBe(1);
    });

    contract.test("is refused for a job that has ended, and for one that is not there", async (harness) => {
      const done = await harness.running();
      await harness.complete(done);
      const dead = await harness.running();
      await harness.fail(dead, "never");
      expect(await refusal(cancel(harness.engine, done.id))).toBe("invalid_state");
      expect(await refusal(cancel(harness.engine, dead.id))).toBe("invalid_state");
      expect(await refusal(cancel(harness.engine, "999"))).toBe("job_not_found");
      expect(harness.events.of("job.cancelled")).toEqual([]);
    });
  });
}
