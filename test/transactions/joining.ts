import { expect, onTestFinished } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import type { PostgresClient } from "../../src/core/transactions.js";
import type { Konveier } from "../../src/konveier.js";

/** A database with a table of the caller's own, and the caller's transactions in it. */
export interface Shop {
  readonly konveier: Konveier;
  /** Runs `work` in a transaction and commits it; rolls it back when `work` throws. */
  readonly transaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  readonly order: (connection: Connection, item: string) => Promise<unknown>;
  readonly orders: () => Promise<string[]>;
}

/** On SQLite as well: the calls are the same, and whoever awaits them does not see when they answer. */
export type Connection = PostgresClient;

/** What joined transactions must do on every store. */
export const JOINING: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  "a job and an order are committed together": async ({ konveier, transaction, order, orders }) => {
    const job = await transaction(async (connection) => {
      await order(connection, "lamp");
      return konveier.within(connection).enqueue("order.confirm", { item: "lamp" }, { tags: ["t"] });
    });
    expect(await orders()).toEqual(["lamp"]);
    expect(await konveier.jobs.get(job.id)).toMatchObject({ state: "pending", tags: ["t"] });
    expect((await konveier.queues.list())[0]?.counts.pending).toBe(1);
  },

  "a rollback takes both back": async ({ konveier, transaction, order, orders }) => {
    const failed = transaction(async (connection) => {
      await order(connection, "lamp");
      await konveier.within(connection).enqueue("order.confirm", {}, { idempotencyKey: "k" });
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await orders()).toEqual([]);
    expect(await konveier.queues.list()).toEqual([]);
    const { deduplicated } = await konveier.enqueue("order.confirm", {}, { idempotencyKey: "k" });
    expect(deduplicated).toBe(false);
  },

  "a refused enqueue leaves nothing, and the transaction goes on": async (shop) => {
    const { konveier, transaction, order, orders } = shop;
    await konveier.enqueue("a", { first: true }, { idempotencyKey: "taken" });
    await transaction(async (connection) => {
      await order(connection, "lamp");
      const within = konveier.within(connection);
      const refused = async (call: () => unknown) => {
        try {
          await call();
        } catch (error) {
          return (error as { code: string }).code;
        }
        return "accepted";
      };
      expect(await refused(() => within.enqueue("no name!", {}))).toBe("validation_failed");
      const batch = [
        { name: "b", payload: 1, idempotencyKey: "free" },
        { name: "a", payload: { other: true }, idempotencyKey: "taken" },
      ];
      expect(await refused(() => within.enqueueMany(batch))).toBe("idempotency_key_reused");
      const [job] = await within.enqueueMany([{ name: "c", payload: 1, idempotencyKey: "free" }]);
      expect(job?.deduplicated).toBe(false);
    });
    expect(await orders()).toEqual(["lamp"]);
    expect((await konveier.queues.list())[0]?.counts.pending).toBe(2);
  },

  "a known key answers with its job": async ({ konveier, transaction }) => {
    const before = await konveier.enqueue("a", 1, { idempotencyKey: "k" });
    const again = await transaction((connection) =>
      konveier.within(connection).enqueue("a", 1, { idempotencyKey: "k" }),
    );
    expect(again).toMatchObject({ id: before.id, deduplicated: true });
  },

  "a commit wakes a worker": async ({ konveier, transaction }) => {
    const job = defineJob("a", { handler: ({ payload }) => payload });
    await konveier.worker({ jobs: [job], pollMs: 60_000 }).start();
    const { id } = await transaction((connection) =>
      konveier.within(connection).enqueue(job, { hello: true }),
    );
    await konveier.jobs.waitFor(id);
    expect(await konveier.jobs.result(id)).toEqual({ hello: true });
  },

  "a handler's writes and the end of its job are committed together": async (shop) => {
    const { konveier, transaction, order, orders } = shop;
    await run(shop, async ({ within }) => {
      await transaction(async (connection) => {
        await order(connection, "lamp");
        await within(connection).complete({ confirmed: 1 });
        expect((await konveier.jobs.get("1"))?.state).toBe("running");
      });
      return "ignored";
    });
    expect(await orders()).toEqual(["lamp"]);
    expect(await konveier.jobs.get("1")).toMatchObject({ state: "completed", attempt: 1 });
    expect(await konveier.jobs.result("1")).toEqual({ confirmed: 1 });
  },

  "a handler that rolls back has failed, and its writes are gone": async (shop) => {
    const { konveier, transaction, order, orders } = shop;
    let attempts = 0;
    await run(shop, async ({ within }) => {
      attempts += 1;
      await transaction(async (connection) => {
        await order(connection, `lamp ${String(attempts)}`);
        await within(connection).complete();
        if (attempts === 1) throw new Error("no");
      });
    });
    expect(await orders()).toEqual(["lamp 2"]);
    expect(await konveier.jobs.get("1")).toMatchObject({ state: "completed", attempt: 2 });
    const [first] = await konveier.jobs.attempts("1");
    expect(first).toMatchObject({ outcome: "failed", error: { message: "no" } });
  },

  "a handler that returns after a rollback has failed all the same": async (shop) => {
    const { konveier, transaction } = shop;
    let attempts = 0;
    await run(shop, async ({ within }) => {
      attempts += 1;
      const rolledBack = transaction(async (connection) => {
        await within(connection).complete();
        if (attempts === 1) throw new Error("no");
      });
      await rolledBack.catch(() => undefined);
    });
    expect(await konveier.jobs.get("1")).toMatchObject({ state: "completed", attempt: 2 });
    const [first] = await konveier.jobs.attempts("1");
    expect(first).toMatchObject({ outcome: "failed", error: { type: "NotCommittedError" } });
  },

  "what a handler throws after the commit changes nothing": async (shop) => {
    const { konveier, transaction } = shop;
    const told = await run(shop, async ({ within }) => {
      await transaction((connection) => within(connection).complete(1));
      throw new Error("too late");
    });
    expect(told).toEqual(["job.completed"]);
    expect(await konveier.jobs.get("1")).toMatchObject({ state: "completed", attempt: 1 });
    expect(await konveier.jobs.attempts("1")).toHaveLength(1);
  },

  "a stale attempt cannot complete: it throws, and its writes go with the rollback": async (shop) => {
    const { konveier, transaction, order, orders } = shop;
    let lost: unknown;
    await run(shop, async ({ within, job }) => {
      await konveier.jobs.cancel(job.id);
      const stale = transaction(async (connection) => {
        await order(connection, "lamp");
        await within(connection).complete();
      });
      lost = await stale.catch((error: unknown) => error);
    });
    expect(lost).toMatchObject({ code: "lease_lost" });
    expect(await orders()).toEqual([]);
    expect((await konveier.jobs.get("1"))?.state).toBe("cancelled");
  },

  "a job that is completed lets those of its flow run that wait for it": async (shop) => {
    const { konveier, transaction } = shop;
    await run(shop, async ({ within, flow }) => {
      await flow.add([{ ref: "next", name: "later", queue: "other", dependsOn: ["root"] }]);
      await transaction(async (connection) => {
        await within(connection).complete();
      });
    });
    const [made] = (await konveier.flows.list()).items;
    const { items = [] } = (await konveier.flows.jobs(made?.id ?? "")) ?? {};
    expect(items.map(({ ref, state }) => `${ref} ${state}`)).toEqual(["root completed", "next pending"]);
  },

  "a job that makes room for another one tells those of its flow that wait for it": async (shop) => {
    const { konveier, transaction } = shop;
    const flow = await konveier.flows.create({
      name: "flow",
      jobs: [
        { ref: "a", name: "a", queue: "full" },
        { ref: "b", name: "b", queue: "other", dependsOn: ["a"] },
      ],
    });
    await konveier.queues.limit("full", { maxLength: 1, onFull: "drop-oldest" });
    await transaction(async (connection) => {
      await konveier.within(connection).enqueue("c", {}, { queue: "full" });
    });
    expect(await konveier.flows.get(flow.id)).toMatchObject({ state: "cancelled", counts: { cancelled: 2 } });
  },
};

type Handler = Parameters<typeof defineJob>[1]["handler"];

/** Runs one job with this handler until it has ended for good. @returns what the worker said of its attempts */
async function run({ konveier }: Shop, handler: Handler): Promise<string[]> {
  const told: string[] = [];
  for (const event of ["job.completed", "job.retrying", "lease.lost"] as const)
    onTestFinished(konveier.on(event, () => told.push(event)));
  const job = defineJob("work", { handler, backoff: { type: "fixed", delayMs: 0 } });
  const { id } = await konveier.enqueue(job, {});
  const worker = konveier.worker({ jobs: [job] });
  await worker.start();
  await konveier.jobs.waitFor(id);
  await worker.stop();
  return told;
}
