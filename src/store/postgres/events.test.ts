import { expect, onTestFinished, test } from "vitest";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import { systemClock } from "../../core/clock.js";
import { openPool } from "./connection.js";

const PAUSE_OF_Q = JSON.stringify([{ type: "queue", name: "Q", action: "paused" }]);

test("what was written while nobody read is numbered whole, in its order", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const other = await database.open();
  await store.events.want();
  const start = await store.events.latest();
  const written = 3_456;
  await database.rows(
    `INSERT INTO event_inbox (at, n, body) SELECT $1, 1, replace($2, 'Q', 'q' || n)
     FROM generate_series(1, ${written}) AS n`,
    [store.now(), PAUSE_OF_Q],
  );
  const latest = await Promise.all([store, other].map(({ events }) => events.latest()));
  expect(latest).toEqual([start + written, start + written]);
  const { events, gap } = await other.events.after(start, 5_000);
  expect(gap).toBeNull();
  expect(events.map((event) => event.type === "queue" && event.name)).toEqual(
    Array.from({ length: written }, (_, index) => `q${index + 1}`),
  );
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => start + index + 1));
});

test("who wants events waits for a transaction that has read that nobody does, and so does the next one", async () => {
  const database = new PostgresDatabase();
  const [store, other] = [await database.open(), await database.open()];
  const writer = await transaction(database);
  const settled: string[] = [];
  const wishes = [store, other].map(async ({ events }) => {
    await events.want();
    settled.push("wanted");
  });
  await database.until(async () => (await store.events.oldest()) === 1);
  // Time enough for several looks.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(settled).toEqual([]);
  await writer.query("COMMIT");
  await Promise.all(wishes);
});

test("a transaction that takes long keeps nobody from following for long", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const writer = await transaction(database);
  await store.events.want();
  const since = performance.now();
  await store.events.want();
  expect(performance.now() - since).toBeLessThan(1_000);
  await writer.query("ROLLBACK");
});

test("a wish that has run out leaves no gap as long as nothing happened since", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  await store.events.want();
  const start = await store.events.latest();
  await database.rows("UPDATE journal SET wanted_until = 1");
  await store.events.want();
  await enqueue(createContext(store, { clock: systemClock }), { name: "work" });
  expect((await store.events.after(start, 10)).events).toHaveLength(1);
  await database.rows("UPDATE journal SET wanted_until = 1");
  await enqueue(createContext(store, { clock: systemClock }), { name: "work" });
  await store.events.want();
  expect((await store.events.after(start, 10)).gap).toBe("history_gap");
});

/** One that has begun to write, and ends when the test says so. */
async function transaction(database: PostgresDatabase) {
  const pool = openPool(database.url);
  const client = await pool.connect();
  onTestFinished(async () => {
    client.release(true);
    await pool.end();
  });
  await client.query("BEGIN");
  await client.query("SELECT pg_current_xact_id()");
  return client;
}
