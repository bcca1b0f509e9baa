import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3";
import { pgSchema, serial, text } from "drizzle-orm/pg-core";
import { integer, sqliteTable, text as sqliteText } from "drizzle-orm/sqlite-core";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import type { Enqueued } from "../../src/core/job.js";
import type { PostgresClient } from "../../src/core/transactions.js";
import { Konveier } from "../../src/konveier.js";
import { postgresUrl } from "../support/postgres-factory.js";
import { tempDirectory } from "../support/temp-directory.js";

const PAGE = readFileSync(new URL("../../docs/transactions.md", import.meta.url), "utf8");

type Adapter = (transaction: unknown) => PostgresClient;

/** Runs the block of the page that has this text in it, with these names known, and gives what it has made. */
async function runBlock(
  having: string,
  known: Readonly<Record<string, unknown>>,
): Promise<{ readonly job: Enqueued; readonly adapter: Adapter }> {
  const block = [...PAGE.matchAll(/```js\n(.*?)```/gs)]
    .map(([, code = ""]) => code)
    .find((code) => code.includes(having));
  if (block === undefined) throw new Error(`No block of the page has ${having} in it`);
  const code = block.replace(/^import \{ (\w+) \} from ("[^"]+");$/gm, "const { $1 } = await load($2);");
  const adapter = /const (via\w+) =/.exec(code)?.[1] ?? "null";
  const names = [...Object.keys(known), "load"];
  const source = `return async (${names.join(", ")}) => { ${code}; return { job: await job, adapter: ${adapter} }; };`;
  // A block of a page has no module of its own: its names are given to it.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const made = new Function(source) as () => (
    ...values: unknown[]
  ) => Promise<{ job: Enqueued; adapter: Adapter }>;
  const load = (module: string) => import(/* @vite-ignore */ module);
  return made()(...Object.values(known), load);
}

const confirmOrder = defineJob<{ order: number }>("order.confirm", { handler: () => undefined });

async function openPostgres() {
  const schema = `test_${randomBytes(6).toString("hex")}`;
  const konveier = await Konveier.open(postgresUrl(), { schema });
  const pool = new pg.Pool({ connectionString: postgresUrl() });
  onTestFinished(async () => {
    await konveier.close();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  await pool.query(`CREATE TABLE ${schema}.orders (id serial PRIMARY KEY, item text)`);
  const orders = async () => (await pool.query(`SELECT id, item FROM ${schema}.orders`)).rows as unknown[];
  return { schema, konveier, pool, orders };
}

/** The order and its job are there; a rollback takes both back; and a handler completes its job in a transaction. */
async function check(
  { konveier, orders }: Pick<Awaited<ReturnType<typeof openPostgres>>, "konveier" | "orders">,
  { job, adapter }: { readonly job: Enqueued; readonly adapter: Adapter },
  transaction: <T>(work: (tx: unknown) => Promise<T>) => Promise<T>,
): Promise<void> {
  expect(await orders()).toEqual([{ id: 1, item: "a lamp" }]);
  expect(await konveier.jobs.get(job.id)).toMatchObject({ name: "order.confirm", state: "pending" });

  let undone: Enqueued | undefined;
  const failing = transaction(async (tx) => {
    undone = await konveier.within(adapter(tx)).enqueue(confirmOrder, { order: 1 }, { idempotencyKey: "7" });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await konveier.jobs.get(undone?.id ?? "")).toBeNull();

  const completing = defineJob("order.confirm", {
    handler: ({ within }) => transaction((tx) => within(adapter(tx)).complete({ confirmed: 1 })),
  });
  await konveier.worker({ jobs: [completing] }).start();
  await konveier.jobs.waitFor(job.id);
  expect(await konveier.jobs.get(job.id)).toMatchObject({ state: "completed", attempt: 1 });
  expect(await konveier.jobs.result(job.id)).toEqual({ confirmed: 1 });
}

test("what the page says of Kysely runs as it is", async () => {
  const opened = await openPostgres();
  const dialect = new PostgresDialect({ pool: opened.pool });
  const db = new Kysely<Record<string, never>>({ dialect }).withSchema(opened.schema);
  const { konveier } = opened;
  const made = await runBlock("viaKysely = ", { db, konveier, confirmOrder });
  await check(opened, made, (work) => db.transaction().execute(work));
});

test("what the page says of Drizzle on PostgreSQL runs as it is", async () => {
  const opened = await openPostgres();
  const db = drizzle(opened.pool);
  const orders = pgSchema(opened.schema).table("orders", { id: serial().primaryKey(), item: text() });
  const { konveier } = opened;
  const made = await runBlock("viaDrizzle = ", { db, orders, konveier, confirmOrder });
  await check(opened, made, (work) => db.transaction(work));
});

test("what the page says of Drizzle on SQLite runs as it is", async () => {
  const file = join(tempDirectory(), "shop.db");
  const konveier = await Konveier.open(`sqlite:${file}`);
  const connection = new Database(file);
  onTestFinished(async () => {
    connection.close();
    await konveier.close();
  });
  connection.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT)");
  const db = drizzleSqlite(connection);
  const orders = sqliteTable("orders", { id: integer().primaryKey(), item: sqliteText() });
  const { job } = await runBlock('behavior: "immediate"', { db, connection, orders, konveier, confirmOrder });
  expect(db.select().from(orders).all()).toEqual([{ id: 1, item: "a lamp" }]);
  expect(await konveier.jobs.get(job.id)).toMatchObject({ name: "order.confirm", state: "pending" });

  const enqueue = () =>
    db.transaction(
      () => {
        konveier.within(connection).enqueue(confirmOrder, { order: 1 });
        throw new Error("no");
      },
      { behavior: "immediate" },
    );
  expect(enqueue).toThrow("no");
  expect((await konveier.queues.list())[0]?.counts.pending).toBe(1);
});
