import { RECORD_AGES } from "../support/record-ages.js";
import { describe, expect } from "vitest";
import { isStoreError } from "../../src/core/errors.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { claimRequest, LEASE_MS, refusal } from "./harness.js";

export function lifecycleContract(contract: Contract): void {
  describe("open and close", () => {
    contract.test("a healthy store says so", async ({ store }) => {
      await expect(store.check()).resolves.toBeUndefined();
    });

    contract.test(
      "that it can be written is found out by writing, and leaves all else as it was",
      async (harness) => {
        const { store } = harness;
        await harness.enqueueMany([{}, {}]);
        const before = await allJobs(store);
        await Promise.all([store.checkWrite(), store.checkWrite()]);
        await store.checkWrite();
        expect(await allJobs(store)).toEqual(before);
        const [next] = await harness.enqueueMany([{}]);
        expect(before.map(({ id }) => id)).not.toContain(next?.id);
      },
    );

    contract.test("everything is there after closing and opening again", async (harness) => {
      const other = await harness.another();
      const job = await harness.running({ payload: "kept", tags: ["t"] });
      await harness.complete(job, "result");
      await harness.enqueueMany([{}, { delayMs: 5 }]);
      const before = await allJobs(harness.store);
      await other.close();
      const again = await harness.another();
      expect(await allJobs(again)).toEqual(before);
      expect(await again.jobs.payload(job.id)).toBe('"kept"');
      expect(await again.jobs.result(job.id)).toBe('"result"');
      expect(await again.queues.list()).toEqual(await harness.store.queues.list());
    });

    contract.test("the signing secret is one for the database and does not change", async (harness) => {
      const secret = await harness.store.signingSecret();
      expect(secret.length).toBeGreaterThanOrEqual(32);
      const other = await harness.another();
      expect((await other.signingSecret()).equals(secret)).toBe(true);
    });

    contract.test(
      "close finishes what was begun, then refuses everything, and may be called again",
      async (harness) => {
        const store = await harness.another();
        const held = await harness.running();
        // Which of two calls about one claim comes first is for the store to choose.
        const extendedOne = await harness.running();
        const { id } = await harness.enqueue();
        const begun = Promise.all([
          store.queues.pause("a", "begun"),
          store.jobs.cancel(id),
          store.claims.extend([extendedOne], 2 * LEASE_MS),
          store.claims.settle([{ verb: "snooze", id: held.id, token: held.token, delayMs: 1 }]),
        ]);
        begun.catch(() => undefined);
        const claimed = store.claims.claim(claimRequest({ queues: ["b"] })).catch(() => []);
        await Promise.all([store.close(), store.close()]);
        const [, , extended, settled] = await begun;
        expect([...extended, ...settled]).toMatchObject([{ ok: true }, { ok: true }]);
        await claimed;
        await store.close();
        expect(await harness.store.queues.get("a")).toMatchObject({ pauseReason: "begun" });
        expect(await harness.state(held.id)).toBe("scheduled");

        const calls: Readonly<Record<string, () => Promise<unknown>>> = {
          insert: () => store.jobs.insertMany([]),
          get: () => store.jobs.get("1"),
          list: () => store.jobs.list({}, 1, null),
          cancel: () => store.jobs.cancel("1"),
          claim: () => store.claims.claim(claimRequest()),
          extend: () => store.claims.extend([{ id: "1", token: 1 }], 1_000),
          giveBack: () => store.claims.giveBack({ ...claimRequest(), claimId: "c" }, []),
          settle: () => store.claims.settle([{ verb: "release", id: "1", token: 1 }]),
          promote: () => store.claims.promote(1),
          expired: () => store.claims.expired(1),
          queues: () => store.queues.list(),
          pause: () => store.queues.pause("a", null),
          stats: () => store.stats.series({ from: 0, to: 1, step: "minute" }, "lanes"),
          workers: () => store.workers.list(1),
          gone: () => store.workers.gone("w"),
          pruneRecords: () =>
            store.maintenance.pruneRecords({ ...RECORD_AGES, minutes: 1, hours: 1, workers: 1 }),
          want: () => store.events.want(),
          events: () => store.events.after(0, 1),
          check: () => store.check(),
          checkWrite: () => store.checkWrite(),
          secret: () => store.signingSecret(),
        };
        for (const [what, call] of Object.entries(calls)) {
          expect(await refusal(call()), what).toBe("store_closed");
        }
      },
    );

    contract.test("an unexpected refusal is a store error that can be told apart", async (harness) => {
      const store = await harness.another();
      await store.close();
      const error: unknown = await store.check().catch((thrown: unknown) => thrown);
      expect(isStoreError(error)).toBe(true);
    });
  });
}
