import { describe, expect } from "vitest";
import type { Contract } from "./contract.js";

export function expiryContract(contract: Contract): void {
  describe("expiry", () => {
    contract.test("a job that has not started by its time is cancelled, and says why", async (harness) => {
      const { store, clock } = harness;
      const pending = await harness.enqueue({ expiresInMs: 1_000 });
      const scheduled = await harness.enqueue({ delayMs: 500, expiresAt: clock.now() + 1_000 });
      const later = await harness.enqueue({ expiresInMs: 1_001 });
      await harness.enqueue();
      expect(await store.expiry.next()).toBe(clock.now() + 1_000);
      clock.stepWall(999);
      expect(await store.expiry.cancelDue(10)).toEqual([]);
      clock.stepWall(1);
      const cancelled = await store.expiry.cancelDue(10);
      expect(cancelled.map(({ id }) => id).toSorted()).toEqual([pending.id, scheduled.id].toSorted());
      expect(await harness.job(pending.id)).toMatchObject({
        state: "cancelled",
        finishedAt: clock.now(),
        cancellation: { reason: "expired", about: null },
        startedAt: null,
        token: null,
      });
      expect(await harness.state(later.id)).toBe("pending");
      expect(await store.expiry.next()).toBe(clock.now() + 1);
    });

    contract.test("a limit bounds how many jobs are cancelled at once", async (harness) => {
      await harness.enqueueMany(Array.from({ length: 5 }, () => ({ expiresInMs: 1 })));
      harness.clock.stepWall(1);
      expect(await harness.store.expiry.cancelDue(3)).toHaveLength(3);
      expect(await harness.store.expiry.cancelDue(3)).toHaveLength(2);
    });

    contract.test("a claim never hands out an expired job", async (harness) => {
      const expired = await harness.enqueueMany(
        Array.from({ length: 30 }, (_, index) => ({
          expiresInMs: 10,
          name: `n${index % 3}`,
          payload: index,
        })),
      );
      harness.clock.stepWall(10);
      const good = await harness.enqueueMany([{ priority: 0 }, { priority: 0, expiresInMs: 10 }]);
      const claimed = await harness.claim({ max: 10 });
      expect(claimed.map(({ id }) => id).toSorted()).toEqual(good.map(({ id }) => id).toSorted());
      for (const { id } of expired) {
        expect(await harness.job(id)).toMatchObject({
          state: "cancelled",
          attempt: 0,
          token: null,
          workerId: null,
          startedAt: null,
          cancellation: { reason: "expired" },
        });
        expect(await harness.store.jobs.attempts(id)).toEqual([]);
      }
    });

    contract.test("a claim finds the job behind a thousand expired ones", async (harness) => {
      await harness.enqueueMany(Array.from({ length: 1_000 }, () => ({ expiresInMs: 10 })));
      await harness.enqueueMany(Array.from({ length: 500 }, () => ({ expiresInMs: 10 })));
      harness.clock.stepWall(10);
      const good = await harness.enqueue();
      // It may leave some of them to others, but comes to the end.
      const claimed = [...(await harness.claim({ max: 50 })), ...(await harness.claim({ max: 50 }))];
      expect(claimed.map(({ id }) => id)).toEqual([good.id]);
    });

    contract.test("a job that has started does not expire", async (harness) => {
      const { store, clock } = harness;
      const jobs = await harness.enqueueMany(Array.from({ length: 4 }, () => ({ expiresInMs: 1_000 })));
      const [failed, released, snoozed, kept] = await harness.claim({ max: 4 });
      if (!failed || !released || !snoozed || !kept) throw new Error("Not all were claimed");
      await harness.fail(failed);
      await harness.release(released);
      await harness.snooze(snoozed, 50);
      clock.stepWall(100_000);
      expect(await store.expiry.cancelDue(10)).toEqual([]);
      expect(await store.expiry.next()).toBeNull();
      await store.claims.promote(10);
      expect(await harness.claim({ max: 10 })).toHaveLength(3);
      expect(jobs).toHaveLength(4);
    });

    contract.test(
      "an expired job that is retried by hand runs, and forgets why it was cancelled",
      async (harness) => {
        const { id } = await harness.enqueue({ expiresInMs: 1 });
        harness.clock.stepWall(1);
        await harness.store.expiry.cancelDue(10);
        await harness.store.jobs.revive(id);
        expect(await harness.store.expiry.cancelDue(10)).toEqual([]);
        expect(await harness.job(id)).toMatchObject({
          state: "pending",
          expiresAt: null,
          cancellation: null,
        });
        await harness.store.jobs.cancel(id);
        expect(await harness.job(id)).toMatchObject({ cancellation: { reason: "by_hand", about: null } });
      },
    );
  });
}
