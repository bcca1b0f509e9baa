import { describe, expect } from "vitest";
import { createContext } from "../../src/engine/context.js";
import { enqueue, enqueueMany } from "../../src/engine/enqueue.js";
import type { Contract } from "./contract.js";
import { refusal } from "./harness.js";

export function maxLengthContract(contract: Contract): void {
  describe("longest queue", () => {
    contract.test("limits of a queue are edited like a pause, and told with it", async ({ store }) => {
      const queue = await store.queues.edit("q", { maxLength: 2 });
      expect(queue).toMatchObject({ maxLength: 2, onFull: "refuse", pausedAt: null, version: 1 });
      expect(await store.queues.edit("q", { onFull: "drop-oldest" }, 1)).toMatchObject({
        maxLength: 2,
        onFull: "drop-oldest",
        version: 2,
      });
      expect(await store.queues.edit("q", { maxLength: 9 }, 1)).toBeNull();
      // Nothing changes: no new version.
      expect(await store.queues.edit("q", { maxLength: 2 }, 2)).toMatchObject({ version: 2 });
      expect(await store.queues.pause("q", "why")).toMatchObject({ maxLength: 2, onFull: "drop-oldest" });
      const both = await store.queues.edit("q", { paused: false, maxLength: null });
      expect(both).toMatchObject({ pausedAt: null, pauseReason: null, maxLength: null });
      expect(await store.queues.list()).toEqual([both]);
      expect((await store.queues.get("never"))?.maxLength).toBeUndefined();
    });

    contract.test("a full queue refuses new jobs until one of them starts", async (harness) => {
      await harness.store.queues.edit("default", { maxLength: 2 });
      await harness.enqueueMany([{ delayMs: 1_000 }, {}]);
      expect(await refusal(harness.enqueue())).toBe("queue_full");
      expect(await refusal(harness.enqueueMany([{ queue: "other" }, {}]))).toBe("queue_full");
      await harness.enqueue({ queue: "other" });
      const running = await harness.claimOne();
      await harness.enqueue();
      expect(await refusal(harness.enqueue())).toBe("queue_full");
      // What was accepted comes back: it is never refused.
      await harness.fail(running);
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({ scheduled: 2, pending: 1 });
      expect((await harness.store.queues.get("other"))?.counts).toMatchObject({ pending: 1 });
      await harness.store.queues.edit("default", { maxLength: 4 });
      await harness.enqueue();
      await harness.store.queues.edit("default", { maxLength: null });
      await harness.enqueueMany(Array.from({ length: 9 }, () => ({})));
    });

    contract.test("a refused job leaves its keys free", async (harness) => {
      await harness.store.queues.edit("default", { maxLength: 0 });
      const request = { idempotencyKey: "i", unique: { key: "u", scope: "all" } } as const;
      expect(await refusal(harness.enqueueKeyed(request))).toBe("queue_full");
      expect(await harness.enqueueKeyed({ ...request, queue: "other" })).toMatchObject({
        deduplicated: false,
      });
    });

    contract.test("what another job is the answer to needs no room", async (harness) => {
      await harness.store.queues.edit("default", { maxLength: 1 });
      const { id } = await harness.enqueueKeyed({ idempotencyKey: "i", unique: { key: "u" } });
      expect((await harness.enqueueKeyed({ idempotencyKey: "i", unique: { key: "u" } })).id).toBe(id);
      expect((await harness.enqueueKeyed({ unique: { key: "u" } })).id).toBe(id);
      const replace = { key: "u", onConflict: "replace" } as const;
      expect((await harness.enqueueKeyed({ unique: replace, delayMs: 5 })).id).toBe(id);
    });

    contract.test("a job that a call has replaced is not dropped for its others", async (harness) => {
      const { store, clock } = harness;
      await store.queues.edit("default", { maxLength: 2, onFull: "drop-oldest" });
      const unique = { key: "k", onConflict: "replace" } as const;
      const { id } = await harness.enqueueKeyed({ unique });
      const other = await harness.enqueue();
      const runAt = new Date(clock.now() - 60_000);
      await enqueueMany(harness.engine, [{ name: "work", unique, runAt }, { name: "work" }]);
      expect([await harness.state(id), await harness.state(other.id)]).toEqual(["pending", "cancelled"]);
    });

    contract.test("a full queue drops the jobs that were claimable longest", async (harness) => {
      const { store, clock } = harness;
      await store.queues.edit("default", { maxLength: 3, onFull: "drop-oldest" });
      const first = await harness.enqueue({ priority: 9 });
      clock.stepWall(1);
      const second = await harness.enqueue({ name: "other", priority: 0 });
      clock.stepWall(1);
      const scheduled = await harness.enqueue({ delayMs: 60_000 });
      const third = await harness.enqueue();
      expect(await harness.job(first.id)).toMatchObject({
        state: "cancelled",
        finishedAt: clock.now(),
        cancellation: { reason: "queue_full", about: null },
      });
      expect(await harness.state(second.id)).toBe("pending");
      const [fourth, fifth] = await harness.enqueueMany([{}, { name: "third" }]);
      const states = [second, scheduled, third, fourth, fifth].map((job) => harness.state(job?.id ?? ""));
      expect(await Promise.all(states)).toEqual([
        "cancelled",
        "scheduled",
        "cancelled",
        "pending",
        "pending",
      ]);
      // Only pending ones are dropped, and no call pushes its own jobs out.
      expect(await refusal(harness.enqueueMany(Array.from({ length: 4 }, () => ({}))))).toBe("queue_full");
      expect(await refusal(harness.enqueueMany(Array.from({ length: 3 }, () => ({}))))).toBe("queue_full");
      await store.queues.edit("default", { maxLength: 1 });
      expect(await refusal(harness.enqueue())).toBe("queue_full");
    });

    contract.test(
      "a job that is changed is not dropped for another one of the same call",
      async (harness) => {
        await harness.store.queues.edit("default", { maxLength: 1, onFull: "drop-oldest" });
        await harness.enqueue({ unique: { key: "u" } });
        const call = [{ unique: { key: "u", onConflict: "replace" }, delayMs: 5 } as const, {}];
        expect(await refusal(harness.enqueueMany(call))).toBe("queue_full");
        expect((await harness.store.queues.get("default"))?.counts).toMatchObject({
          pending: 1,
          scheduled: 0,
        });
      },
    );

    contract.test("many at once never bring more into a queue than it may hold", async (harness) => {
      const another = createContext(await harness.another(), { clock: harness.clock });
      await harness.store.queues.edit("default", { maxLength: 7 });
      const all = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) =>
          index % 2 === 0 ? harness.enqueue() : enqueue(another, { name: "work" }),
        ),
      );
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
      await harness.store.queues.edit("default", { onFull: "drop-oldest" });
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          index % 2 === 0 ? harness.enqueue() : enqueue(another, { name: "work" }),
        ),
      );
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({
        pending: 7,
        cancelled: 40,
      });
      await another.store.close();
    });
  });
}
