import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

/** For each job in claim order, how many go before it. */
async function aheadOfAll(harness: Harness, cap: number): Promise<number[]> {
  const jobs = await allJobs(harness.store, { name: "a" });
  const ahead = await Promise.all(jobs.map((job) => harness.store.queues.ahead(job, cap)));
  const places = new Map(jobs.map(({ id }, index) => [id, ahead[index]!]));
  const claimed = await harness.claim({ names: ["a"], max: 100 });
  return claimed.map(({ id }) => places.get(id)!);
}

export function queuesContract(contract: Contract): void {
  describe("jobs that go before another", () => {
    const requests = [4, 9, 0, 4, 4, 9, 0, 9].map((priority) => ({ name: "a", priority }));

    contract.test("are those that a claim takes first, of the same queue and name", async (harness) => {
      await harness.enqueueMany(requests);
      harness.clock.block(1);
      await harness.enqueueMany([...requests, { name: "b", priority: 9 }, { name: "a", queue: "other" }]);
      const own = await aheadOfAll(harness, 100);
      expect(own).toEqual(Array.from({ length: 16 }, (_, index) => index));
    });

    contract.test("are counted to the cap", async (harness) => {
      await harness.enqueueMany(requests);
      expect(await aheadOfAll(harness, 3)).toEqual([0, 1, 2, 3, 3, 3, 3, 3]);
    });
  });

  describe("queues", () => {
    contract.test("are edited only in the version that was read", async (harness) => {
      const { queues } = harness.store;
      expect(await queues.pause("a", null, 3)).toBeNull();
      expect(await queues.get("a")).toBeNull();
      const paused = await queues.pause("a", null, 0);
      expect(paused?.version).toBe(1);
      expect(await queues.resume("a", 0)).toBeNull();
      expect((await queues.get("a"))?.pausedAt).toBe(T0);
      expect((await queues.resume("a", 1))?.version).toBe(2);
      expect((await queues.pause("a", "again"))?.version).toBe(3);
    });

    contract.test("of edits at once that are based on one version, one is made", async (harness) => {
      const stores = [harness.store, await harness.another()] as const;
      for (let version = 0; version < 40; version += 2) {
        const paused = await Promise.all(stores.map(({ queues }) => queues.pause("a", "x", version)));
        expect(paused.filter((queue) => queue?.version === version + 1)).toHaveLength(1);
        const resumed = await Promise.all(stores.map(({ queues }) => queues.resume("a", version + 1)));
        expect(resumed.filter((queue) => queue?.version === version + 2)).toHaveLength(1);
        // Edits of whatever is there are all made, and say so.
        const first = await Promise.all(stores.map(({ queues }) => queues.pause(`b-${version}`, "x")));
        expect(first.map((queue) => queue?.version)).toEqual([1, 1]);
      }
    });

    contract.test("a queue exists as soon as a job or a pause named it", async (harness) => {
      const { queues } = harness.store;
      expect(await queues.list()).toEqual([]);
      expect(await queues.get("a")).toBeNull();
      await harness.enqueue({ queue: "b" });
      await queues.pause("a", "later");
      expect((await queues.list()).map(({ name }) => name)).toEqual(["a", "b"]);
      expect(await queues.get("a")).toMatchObject({
        pausedAt: T0,
        pauseReason: "later",
        oldestPendingAt: null,
      });
      expect(await queues.get("b")).toMatchObject({ pausedAt: null, pauseReason: null, oldestPendingAt: T0 });
      await harness.store.jobs.delete("1", true);
      expect((await queues.list()).map(({ name }) => name)).toEqual(["a", "b"]);
    });

    contract.test("a paused queue gives no jobs until it is resumed; running ones go on", async (harness) => {
      const { queues } = harness.store;
      const running = await harness.running({ queue: "a" }, { queues: ["a"] });
      await harness.enqueue({ queue: "a" });
      await harness.enqueue({ queue: "b" });
      harness.clock.block(10);
      expect(await queues.pause("a", "deploy")).toMatchObject({ name: "a", pausedAt: T0 + 10 });
      expect((await harness.claim({ queues: ["a", "b"], max: 10 })).map(({ queue }) => queue)).toEqual(["b"]);
      expect(await harness.store.claims.extend([running], 1_000)).toMatchObject([{ ok: true }]);
      expect(await harness.complete(running)).toMatchObject({ ok: true });
      expect(await queues.resume("a")).toMatchObject({ name: "a", pausedAt: null, pauseReason: null });
      expect(await harness.claim({ queues: ["a", "b"], max: 10 })).toHaveLength(1);
    });

    contract.test(
      "a pause holds jobs of every name, and jobs that are promoted or retried",
      async (harness) => {
        await harness.store.queues.pause("default", null);
        await harness.enqueueMany([{ name: "a" }, { name: "b", delayMs: 5 }]);
        harness.clock.block(5);
        expect(await harness.store.claims.promote(10)).toBe(1);
        expect(await harness.claim({ max: 10 })).toEqual([]);
        expect(await harness.claim({ max: 10, names: ["a", "b"] })).toEqual([]);
        expect(await harness.claim({ max: 10, names: ["b"] })).toEqual([]);
      },
    );

    contract.test(
      "pausing twice keeps the first time and the last reason; resuming twice is fine",
      async (harness) => {
        await harness.store.queues.pause("a", "one");
        harness.clock.block(100);
        expect(await harness.store.queues.pause("a", "two")).toMatchObject({
          pausedAt: T0,
          pauseReason: "two",
        });
        await harness.store.queues.resume("a");
        expect(await harness.store.queues.resume("a")).toMatchObject({ pausedAt: null });
        harness.clock.block(100);
        expect(await harness.store.queues.pause("a", null)).toMatchObject({
          pausedAt: T0 + 200,
          pauseReason: null,
        });
      },
    );

    contract.test("a pause is seen by other connections at once", async (harness) => {
      const other = await harness.another();
      await harness.enqueue();
      await other.queues.pause("default", null);
      expect(await harness.claim()).toEqual([]);
      await other.queues.resume("default");
      expect(await harness.claim()).toHaveLength(1);
    });

    contract.test(
      "knows the job that has been claimable longest, over names and priorities",
      async (harness) => {
        const oldest = async () => (await harness.store.queues.get("default"))?.oldestPendingAt;
        await harness.enqueueMany([
          { name: "a", priority: 9, runAt: T0 - 10 },
          { name: "b", priority: 0, runAt: T0 - 30 },
          { name: "a", priority: 3, runAt: T0 - 20 },
          { name: "c", delayMs: 5 },
        ]);
        expect(await oldest()).toBe(T0 - 30);
        await harness.claim({ names: ["b"] });
        expect(await oldest()).toBe(T0 - 20);
        await harness.claim({ names: ["a"], max: 2 });
        expect(await oldest()).toBeNull();
      },
    );

    contract.test("counts every state", async (harness) => {
      await harness.enqueueMany([{}, { delayMs: 5 }]);
      await harness.complete(await harness.running({ priority: 9 }));
      await harness.fail(await harness.running({ priority: 9 }), "never");
      await harness.store.jobs.cancel((await harness.enqueue()).id);
      await harness.running({ priority: 9 });
      expect((await harness.store.queues.get("default"))?.counts).toEqual({
        blocked: 0,
        scheduled: 1,
        pending: 1,
        running: 1,
        completed: 1,
        dead: 1,
        cancelled: 1,
      });
    });

    contract.test("lists pending jobs by queue and name", async (harness) => {
      await harness.enqueueMany([
        { queue: "b", name: "x" },
        { queue: "a", name: "y" },
        { queue: "a", name: "x" },
        { queue: "a", name: "x" },
        { queue: "a", name: "z", delayMs: 5 },
      ]);
      expect(await harness.store.queues.pendingNames()).toEqual([
        { queue: "a", name: "x", pending: 2 },
        { queue: "a", name: "y", pending: 1 },
        { queue: "b", name: "x", pending: 1 },
      ]);
      await harness.claim({ queues: ["a", "b"], max: 10 });
      expect(await harness.store.queues.pendingNames()).toEqual([]);
    });
  });
}
