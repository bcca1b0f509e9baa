import { randomBytes } from "node:crypto";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import type { PostgresClient } from "../../src/core/transactions.js";
import { Harness, LEASE_MS } from "../contract/harness.js";
import { Konveier } from "../../src/konveier.js";
import { FakeClock } from "../support/fake-clock.js";
import { postgresFactory, postgresUrl } from "../support/postgres-factory.js";
import { JOINING, type Connection, type Shop } from "./joining.js";

async function open(): Promise<Shop & { readonly pool: pg.Pool }> {
  const schema = `test_${randomBytes(6).toString("hex")}`;
  const konveier = await Konveier.open(postgresUrl(), { schema });
  const pool = new pg.Pool({ connectionString: postgresUrl() });
  onTestFinished(async () => {
    await konveier.close();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  await pool.query(`CREATE TABLE ${schema}.orders (item text)`);
  return {
    konveier,
    pool,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const answer = await work(client);
        await client.query("COMMIT");
        return answer;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
    order: (connection, item) =>
      connection.query({ text: `INSERT INTO ${schema}.orders VALUES ($1)`, values: [item] }),
    orders: async () => {
      const { rows } = await pool.query<{ item: string }>(`SELECT item FROM ${schema}.orders`);
      return rows.map(({ item }) => item);
    },
  };
}

describe("joined transactions on PostgreSQL", () => {
  for (const [title, body] of Object.entries(JOINING)) test(title, async () => body(await open()));

  test.each<[string, (shop: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    [
      "a pool, on which no transaction is open",
      ({ konveier, pool }) => konveier.within(pool).enqueue("a", {}),
    ],
    ["no client", ({ konveier }) => Promise.resolve().then(() => konveier.within({} as PostgresClient))],
  ])("%s is refused", async (_, call) => {
    const shop = await open();
    await expect(call(shop)).rejects.toMatchObject({ code: "transaction_unusable" });
    expect(await shop.konveier.queues.list()).toEqual([]);
  });

  test("a client that gives bigints as text or as BigInt will do", async () => {
    const { konveier, transaction } = await open();
    for (const convert of [String, BigInt]) {
      const key = { idempotencyKey: convert.name };
      const odd = (client: Connection) => ({
        query: async ({ text, values }: { text: string; values: unknown[] }) => {
          const { rows, rowCount } = await (client as unknown as pg.ClientBase).query(text, values);
          const converted = rows.map((row: Record<string, unknown>) =>
            Object.fromEntries(
              Object.entries(row).map(([column, value]) => [
                column,
                typeof value === "string" && /^\d+$/.test(value) ? convert(value) : value,
              ]),
            ),
          );
          return { rows: converted, rowCount };
        },
      });
      const enqueue = () => transaction((client) => konveier.within(odd(client)).enqueue("a", {}, key));
      const job = await enqueue();
      expect(await enqueue()).toEqual({ ...job, deduplicated: true });
      expect(await konveier.jobs.get(job.id)).toMatchObject({ createdAt: job.createdAt, runAt: job.runAt });
    }
  });

  test("no statement answers with a void column, which Prisma cannot read", async () => {
    const { konveier, transaction } = await open();
    const VOID = 2278;
    const picky = (client: Connection) => ({
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const result = await (client as unknown as pg.ClientBase).query(text, values);
        expect(result.fields.filter(({ dataTypeID }) => dataTypeID === VOID)).toEqual([]);
        return result;
      },
    });
    await transaction((client) => konveier.within(picky(client)).enqueue("a", {}));
    expect((await konveier.queues.list())[0]?.counts.pending).toBe(1);
  });

  test("a client that tells of no rows but those of its answer, as Prisma's, enqueues and completes", async () => {
    const { konveier, transaction } = await open();
    const terse = (client: Connection) => ({
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await (client as unknown as pg.ClientBase).query(text, values);
        return { rows, rowCount: rows.length };
      },
    });
    const job = defineJob("a", {
      handler: ({ within }) => transaction((client) => within(terse(client)).complete({ done: true })),
    });
    const { id } = await transaction((client) => konveier.within(terse(client)).enqueue(job, {}));
    const completed = new Promise((resolve) => konveier.on("job.completed", resolve));
    await konveier.worker({ jobs: [job] }).start();
    await completed;
    expect(await konveier.jobs.result(id)).toEqual({ done: true });
  });

  test("a completion that waits for its commit for longer than the lease is not taken away", async () => {
    const clock = new FakeClock();
    const opened = await postgresFactory.open({ clock });
    const client = new pg.Client(postgresUrl());
    onTestFinished(async () => {
      await client.end();
      await opened.close();
    });
    const harness = new Harness(opened, clock);
    const job = await harness.running();
    await client.connect();
    await client.query("BEGIN");
    const completion = {
      verb: "complete",
      id: job.id,
      token: job.token,
      result: null,
      resultProblem: null,
    } as const;
    expect(await opened.store.join(client).complete(completion)).toMatchObject({ ok: true });
    clock.block(10 * LEASE_MS);
    expect(await opened.store.claims.expired(10)).toHaveLength(1);
    await harness.reap();
    await client.query("COMMIT");
    expect(await harness.job(job.id)).toMatchObject({ state: "completed", attempt: 1 });

    const other = await harness.running();
    await client.query("BEGIN");
    await opened.store.join(client).complete({ ...completion, id: other.id, token: other.token });
    await client.query("ROLLBACK");
    clock.block(10 * LEASE_MS);
    expect(await harness.reap()).toBe(1);
  });
});
