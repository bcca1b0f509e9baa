import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { claimRequest } from "../../../test/contract/harness.js";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { newJob } from "../../../test/support/new-job.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import type { StoreChange } from "../store.js";
import { lockNumber } from "./lock-number.js";

async function clientOf({ url }: PostgresDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  return client;
}

test("starts are counted by the time when a claim has its turn, not when it began", async () => {
  const database = new PostgresDatabase();
  const clock = new FakeClock();
  const store = await database.open({ clock });
  await store.queues.edit("default", { rateLimit: { max: 1, perMs: 60_000 } });
  await store.jobs.insertMany([newJob(), newJob()]);
  const other = await clientOf(database);
  const lock = `hashtextextended('default', ${lockNumber("limited claim", database.s)})`;
  await other.query(`SELECT pg_advisory_xact_lock(${lock})`);
  const waiting = store.claims.claim(claimRequest());
  await database.until(async () => {
    const rows = await database.rows(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = (${lock} & 4294967295)`,
    );
    return rows.length > 0;
  });
  clock.block(5_000);
  await other.query("ROLLBACK");
  const [job] = await waiting;
  expect([job?.startedAt, job?.leaseExpiresAt]).toEqual([T0 + 5_000, T0 + 5_000 + claimRequest().leaseMs]);
  clock.block(59_999);
  expect(await store.claims.claim(claimRequest())).toEqual([]);
});

test("a caller's transaction with a job for a full queue keeps no claim and no edit of it waiting", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  await store.queues.edit("default", { maxLength: 10, concurrency: 5 });
  await store.jobs.insertMany([newJob(), newJob({ queue: "plain" }), newJob({ keys: "a\n" })]);
  const caller = await clientOf(database);
  await store.join(caller).insertMany([newJob(), newJob({ name: "new", keys: "b\n" })]);
  expect(await store.claims.claim(claimRequest({ queues: ["plain", "default"], max: 9 }))).toHaveLength(3);
  expect(await store.queues.pause("default", null)).toMatchObject({ version: 2 });
  await store.queues.resume("default");
  await caller.query("COMMIT");
  expect(await store.claims.claim(claimRequest({ max: 9 }))).toHaveLength(2);
});

test("a job that a caller's transaction has locked does not hold up those behind it", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  await store.queues.edit("default", { concurrency: 1 });
  const [first, second] = await store.jobs.insertMany([newJob({ keys: "a\n" }), newJob({ keys: "a\n" })]);
  const caller = await clientOf(database);
  await caller.query(`SELECT 1 FROM ${database.s}.jobs WHERE id = $1 FOR UPDATE`, [first!.id]);
  expect((await store.claims.claim(claimRequest())).map(({ id }) => id)).toEqual([second!.id]);
});

test("a look costs the same however many queues with limits are asked for", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const queues = Array.from({ length: 20 }, (_, index) => `q${index}`);
  for (const queue of queues) await store.queues.edit(queue, { concurrency: 1 });
  await store.jobs.insertMany(queues.flatMap((queue) => [newJob({ queue }), newJob({ queue })]));
  expect(await store.claims.claim(claimRequest({ queues, max: 50 }))).toHaveLength(20);
  const queries = vi.spyOn(pg.Client.prototype, "query");
  onTestFinished(() => {
    queries.mockRestore();
  });
  expect(await store.claims.claim(claimRequest({ queues, max: 50 }))).toEqual([]);
  expect(queries.mock.calls.length).toBeLessThan(5);
});

test("an edit waits for the claim that has read the limits before it", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const other = await clientOf(database);
  await other.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('default', ${lockNumber("limited claim", database.s)}))`,
  );
  let edited = false;
  const edit = store.queues.edit("default", { concurrency: 1 }).then(() => (edited = true));
  await database.until(async () => {
    const rows = await database.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    return rows.length > 0;
  });
  expect(edited).toBe(false);
  await other.query("ROLLBACK");
  await edit;
});

test("rooms of queues are locked before the rows of jobs, and all at once", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  for (const queue of ["a", "b"]) await store.queues.edit(queue, { maxLength: 100 });
  const unique = {
    key: "k",
    scope: "name",
    states: ["pending"],
    ttlMs: null,
    onConflict: "replace",
  } as const;
  const jobs = [newJob({ queue: "a", unique }), newJob({ queue: "b" })];
  // The first call finds out that the queues have limits.
  const [first] = await store.jobs.insertMany(jobs);
  const other = await clientOf(database);
  await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('b', ${lockNumber("room", database.s)}))`);
  const waiting = store.jobs.insertMany(jobs);
  await database.until(async () => {
    const rows = await database.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    return rows.length > 0;
  });
  expect(
    await database.rows("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE SKIP LOCKED", [first!.id]),
  ).toHaveLength(1);
  await other.query("ROLLBACK");
  expect((await waiting)[0]).toMatchObject({ id: first!.id, deduplicated: true });
});

test("a caller's transaction with a job for a full queue keeps no other job of it waiting", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  await store.queues.edit("default", { maxLength: 10 });
  await store.jobs.insertMany([newJob()]);
  const caller = await clientOf(database);
  await store.join(caller).insertMany([newJob()]);
  expect(await store.jobs.insertMany([newJob(), newJob({ queue: "plain" })])).toHaveLength(2);
  await caller.query("COMMIT");
});

test("who waits for a slot is told when a process that never claimed cancels the job in it", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  await store.queues.edit("default", { concurrency: 1 });
  const [first, second] = await store.jobs.insertMany([newJob(), newJob()]);
  expect(await store.claims.claim(claimRequest())).toMatchObject([{ id: first!.id }]);
  const heard: StoreChange[] = [];
  store.onChange((change) => {
    heard.push(change);
  });
  // Its first words are that anything may have happened.
  await database.until(() => Promise.resolve(heard.some(({ queues }) => queues === null)));
  const other = await database.open();
  await other.jobs.cancel(first!.id);
  await database.until(
    () => Promise.resolve(heard.some(({ queues }) => queues?.has("default") === true)),
    15_000,
  );
  expect(await store.claims.claim(claimRequest())).toMatchObject([{ id: second!.id }]);
});
