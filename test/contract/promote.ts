import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";

export function promoteContract(contract: Contract): void {
  describe("promote", () => {
    contract.test("knows when the next job is due", async (harness) => {
      expect(await harness.store.claims.nextDue()).toBeNull();
      await harness.enqueueMany([{ delayMs: 300 }, { delayMs: 100 }, { delayMs: 200 }, {}]);
      expect(await harness.store.claims.nextDue()).toBe(T0 + 100);
      harness.clock.block(150);
      expect(await harness.store.claims.nextDue()).toBe(T0 + 100);
      expect(await harness.store.claims.promote(10)).toBe(1);
      expect(await harness.store.claims.nextDue()).toBe(T0 + 200);
    });

    contract.test("takes the longest due first, no more than asked, and says how many", async (harness) => {
      const jobs = await harness.enqueueMany([
        { delayMs: 30 },
        { delayMs: 10 },
        { delayMs: 20 },
        { delayMs: 99 },
      ]);
      harness.clock.block(50);
      expect(await harness.store.claims.promote(2)).toBe(2);
      const states = await Promise.all(jobs.map(({ id }) => harness.state(id)));
      expect(states).toEqual(["scheduled", "pending", "pending", "scheduled"]);
      expect(await harness.store.claims.promote(2)).toBe(1);
      expect(await harness.store.claims.promote(2)).toBe(0);
    });

    contract.test(
      "promoted jobs keep their runAt, so the order is that of their due times",
      async (harness) => {
        const [late, early] = await harness.enqueueMany([{ delayMs: 20 }, { delayMs: 10 }]);
        const now = await harness.enqueue();
        harness.clock.block(1_000);
        const fresh = await harness.enqueue();
        await harness.store.claims.promote(10);
        const claimed = await harness.claim({ max: 10 });
        expect(claimed.map(({ id }) => id)).toEqual([now, early!, late!, fresh].map(({ id }) => id));
        expect(claimed.map(({ runAt }) => runAt - T0)).toEqual([0, 10, 20, 1_000]);
      },
    );

    contract.test("two promoters at once promote each job once", async (harness) => {
      await harness.enqueueMany(new Array(100).fill({ delayMs: 10 }));
      const other = await harness.another();
      harness.clock.block(10);
      const promoted = await Promise.all([
        harness.store.claims.promote(60),
        other.claims.promote(60),
        other.claims.promote(60),
      ]);
      expect(promoted.reduce((sum, n) => sum + n)).toBe(100);
    });

    contract.test("a wall clock that steps back does not take pending jobs away", async (harness) => {
      const { id } = await harness.enqueue({ delayMs: 10 });
      harness.clock.block(10);
      await harness.store.claims.promote(1);
      harness.clock.stepWall(-3_600_000);
      expect((await harness.claimOne()).id).toBe(id);
    });
  });
}
