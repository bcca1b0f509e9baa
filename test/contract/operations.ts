import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { eligible, type BulkAction } from "../../src/core/bulk-action.js";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { createBulkRunner } from "../../src/engine/loops/bulk-runner.js";
import type { NewOperation, Operation } from "../../src/store/operations.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { checkBooks } from "../support/recount.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

interface Wish {
  readonly perSecond?: number;
  readonly preview?: string;
  readonly queueGlobs?: readonly string[];
}

async function start(store: Store, action: BulkAction, q: string, wish: Wish = {}): Promise<Operation> {
  const operation: NewOperation = {
    action,
    query: eligible(action, parseJobQuery(q)),
    queueGlobs: wish.queueGlobs ?? null,
    perSecond: wish.perSecond ?? 10_000,
    reason: null,
    matched: 0,
    createdBy: "t",
    preview: createHash("sha256")
      .update(wish.preview ?? `${action} ${q}`)
      .digest(),
    untilId: await store.operations.lastJobId(),
  };
  return (await store.operations.start(operation)).operation;
}

/** Takes steps until it is over, by these stores in turn. @returns ids of the jobs that it changed */
async function finish(harness: Harness, id: string, stores: readonly Store[]): Promise<string[]> {
  const changed: string[] = [];
  for (let turn = 0; (await harness.store.operations.get(id))?.state === "running"; turn += 1) {
    const step = await stores[turn % stores.length]?.operations.step(id);
    if (step == null) harness.clock.block(100);
    else changed.push(...step.jobs.map((job) => job.id));
  }
  return changed;
}

export function operationsContract(contract: Contract): void {
  describe("a bulk operation", () => {
    contract.test("changes each job that matches once, whichever processes carry it on", async (harness) => {
      const requests = Array.from({ length: 600 }, (_, index) => ({ queue: index % 3 === 0 ? "a" : "b" }));
      await harness.enqueueMany(requests);
      await harness.enqueueMany(requests);
      const stores = [harness.store, await harness.another()];
      const { id } = await start(harness.store, "cancel", "queue:b");
      const changed = await finish(harness, id, stores);
      expect(changed).toHaveLength(800);
      expect(new Set(changed).size).toBe(800);
      expect(await harness.store.operations.get(id)).toMatchObject({ state: "completed", changed: 800 });
      expect((await harness.store.queues.get("a"))?.counts.pending).toBe(400);
      expect((await harness.store.queues.get("b"))?.counts.cancelled).toBe(800);
      await checkBooks(harness.store);
    });

    contract.test(
      "leaves jobs alone that came after its preview, and those that ended meanwhile",
      async (harness) => {
        await harness.enqueueMany([{}, {}, {}]);
        const { id } = await start(harness.store, "cancel", "name:work", { perSecond: 1 });
        await harness.enqueue();
        await harness.store.operations.step(id);
        await harness.store.jobs.delete("2", false);
        expect(await finish(harness, id, [harness.store])).toEqual(["3"]);
        expect((await harness.store.jobs.get("1"))?.state).toBe("cancelled");
        expect((await harness.store.jobs.get("4"))?.state).toBe("pending");
      },
    );

    contract.test("is among the running ones until it is over", async (harness) => {
      await harness.enqueueMany([{ queue: "a" }, { queue: "b" }]);
      const running = async (limit: number) =>
        (await harness.store.operations.running(limit)).map(({ id }) => id);
      expect(await running(5)).toEqual([]);
      const first = await start(harness.store, "cancel", "queue:a");
      harness.clock.block(1);
      const second = await start(harness.store, "cancel", "queue:b");
      expect(await running(5)).toEqual([first.id, second.id]);
      expect(await running(1)).toEqual([first.id]);
      await finish(harness, first.id, [harness.store]);
      await harness.store.operations.cancel(second.id);
      expect(await running(5)).toEqual([]);
    });

    contract.test("retries what is dead, and not again what dies again", async (harness) => {
      await harness.enqueueMany([{ maxAttempts: 1 }, { maxAttempts: 1 }]);
      const kill = async () => {
        for (const job of await harness.claim({ max: 10 })) await harness.fail(job);
      };
      await kill();
      const { id } = await start(harness.store, "retry", "state:dead", { perSecond: 10 });
      await harness.store.operations.step(id);
      await kill();
      await finish(harness, id, [harness.store]);
      expect(await harness.store.operations.get(id)).toMatchObject({ changed: 2 });
      expect((await harness.store.queues.get("default"))?.counts.dead).toBe(1);
    });

    contract.test("deletes with all that belongs to the jobs, never a running one", async (harness) => {
      await harness.enqueueMany([{ tags: ["x"] }, { tags: ["x"], priority: 9 }, { tags: ["y"] }]);
      await harness.claim({ max: 1 });
      const { id } = await start(harness.store, "delete", "tag:x");
      expect(await finish(harness, id, [harness.store])).toEqual(["1"]);
      expect(await harness.store.jobs.get("1")).toBeNull();
      expect((await harness.store.jobs.get("2"))?.state).toBe("running");
      await checkBooks(harness.store);
    });

    contract.test("keeps its pace over all processes", async (harness) => {
      await harness.enqueueMany(Array.from({ length: 100 }, () => ({})));
      const stores = [harness.store, await harness.another()];
      const { id } = await start(harness.store, "cancel", "name:work", { perSecond: 50 });
      await finish(harness, id, stores);
      // 5 in a step, and 100 ms after each.
      expect((await harness.store.operations.get(id))?.finishedAt).toBe(T0 + 1_900);
    });

    contract.test("stops where it is when it is cancelled", async (harness) => {
      await harness.enqueueMany(Array.from({ length: 20 }, () => ({})));
      const { id } = await start(harness.store, "cancel", "name:work", { perSecond: 50 });
      await harness.store.operations.step(id);
      expect(await harness.store.operations.cancel(id)).toMatchObject({ state: "cancelled", finishedAt: T0 });
      harness.clock.block(1_000);
      expect(await harness.store.operations.step(id)).toBeNull();
      expect((await harness.store.queues.get("default"))?.counts.pending).toBe(15);
      expect(await harness.store.operations.nextDue()).toBeNull();
      expect(await harness.store.operations.cancel("77")).toBeNull();
    });

    contract.test("is started once from one preview", async (harness) => {
      const started = await Promise.all(
        [1, 2, 3].map(() => start(harness.store, "cancel", "name:a", { preview: "p" })),
      );
      expect(new Set(started.map(({ id }) => id)).size).toBe(1);
      const other = await start(harness.store, "cancel", "name:a", { preview: "q" });
      expect((await harness.store.operations.list(10, null, null)).map(({ id }) => id)).toEqual([
        other.id,
        started[0]?.id,
      ]);
      expect(await harness.store.operations.list(10, null, "nobody")).toEqual([]);
      expect(await harness.store.operations.list(10, other.id, "t")).toHaveLength(1);
    });

    contract.test("touches only queues that its token covers", async (harness) => {
      await harness.enqueueMany([{ queue: "mail.a" }, { queue: "bill" }]);
      const { id } = await start(harness.store, "cancel", "name:work", { queueGlobs: ["mail*"] });
      expect(await finish(harness, id, [harness.store])).toEqual(["1"]);
    });

    contract.test("meets each job once, and none that was claimed meanwhile", async (harness) => {
      const jobs = 400;
      await harness.enqueueMany(Array.from({ length: jobs }, () => ({})));
      const stores = [harness.store, await harness.another(), await harness.another()];
      const { id } = await start(harness.store, "cancel", "state:pending", { perSecond: 400 });
      const changed: string[] = [];
      let completed = 0;
      while ((await harness.store.operations.get(id))?.state === "running") {
        const work = async () => {
          const claimed = await harness.claim({ max: 10 });
          // Refused where somebody has cancelled it.
          for (const job of claimed) await harness.complete(job);
          completed += claimed.length;
        };
        const [, ...steps] = await Promise.all([
          work(),
          ...stores.map((store) => store.operations.step(id)),
          ...stores.map((store) => store.operations.step(id)),
        ]);
        for (const step of steps) changed.push(...(step?.jobs ?? []).map((job) => job.id));
        harness.clock.block(100);
      }
      expect(new Set(changed).size).toBe(changed.length);
      expect(changed.length + completed).toBe(jobs);
      expect(completed).toBeGreaterThan(0);
      expect(await harness.store.operations.get(id)).toMatchObject({ changed: changed.length });
    });

    contract.test("is started once, and over once, in whichever processes", async (harness) => {
      const stores = [harness.store, await harness.another(), await harness.another()];
      await harness.enqueueMany(Array.from({ length: 10 }, () => ({})));
      for (let round = 0; round < 10; round += 1) {
        const preview = `round ${round}`;
        const started = await Promise.all(
          stores.map((store) => start(store, "cancel", "name:work", { preview })),
        );
        const [{ id }] = started as [Operation];
        expect(started.map((operation) => operation.id)).toEqual(stores.map(() => id));
        const ends = await Promise.all([
          ...stores.map((store) => store.operations.step(id)),
          ...stores.map((store) => store.operations.cancel(id)),
        ]);
        expect(ends.slice(0, 3).filter((step) => step !== null).length).toBeLessThanOrEqual(1);
        const { state } = (await harness.store.operations.get(id))!;
        expect(ends.slice(3)).toMatchObject(stores.map(() => ({ state })));
      }
    });

    contract.test("is carried on by the background loop, and tells what it cancelled", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      const { id } = await start(harness.store, "cancel", "name:work");
      const runner = createBulkRunner(harness.engine);
      runner.start();
      await harness.clock.advance(1_000);
      await runner.stop();
      expect(await harness.store.operations.get(id)).toMatchObject({ state: "completed", changed: 2 });
      expect(harness.events.of("job.cancelled").map((event) => event.id)).toEqual(["1", "2"]);
      expect(harness.events.of("operation.completed")).toEqual([{ id, action: "cancel", changed: 2 }]);
    });
  });
}
