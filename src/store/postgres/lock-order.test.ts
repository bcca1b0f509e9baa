import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { newJob } from "../../../test/support/new-job.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import type { ClaimKey, Settlement } from "../claims.js";
import type { PostgresStore } from "./open.js";

/** Of so many a planner reads some in the order of the table, where it has no better index. */
const ALL = 2_000;
const SOME = 100;
const JOB = newJob({ queue: "q", maxAttempts: 3 });
const FAILURE = { outcome: "failed", error: { type: "Error", message: "boom", stack: null } } as const;

async function claimed(store: PostgresStore, count: number): Promise<ClaimKey[]> {
  await store.jobs.insertMany(Array.from({ length: count }, () => JOB));
  const jobs = await store.claims.claim({
    workerId: "w",
    queues: ["q"],
    names: null,
    max: count,
    leaseMs: 60_000,
  });
  return jobs.toSorted((a, b) => Number(a.id) - Number(b.id));
}

function completionOf({ id, token }: ClaimKey): Settlement {
  return { id, token, verb: "complete", result: null, resultProblem: null };
}

/** A transaction that has locked a job. */
async function holderOf({ url, s }: PostgresDatabase, id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  await client.query(`SELECT 1 FROM ${s}.jobs WHERE id = $1 FOR UPDATE`, [id]);
  return client;
}

/** Until a statement about the jobs waits for a lock. */
async function somebodyWaits(database: PostgresDatabase): Promise<void> {
  await database.until(async () => {
    const waiting = await database.rows(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '.jobs%'",
      [database.s],
    );
    return waiting.length > 0;
  });
}

async function isLocked(database: PostgresDatabase, id: string): Promise<boolean> {
  const free = await database.rows("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE SKIP LOCKED", [id]);
  return free.length === 0;
}

test("claims that end together are locked by their ids, whatever is said of each", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const [first, second] = await claimed(store, 2);
  if (first === undefined || second === undefined) throw new Error("There are no jobs");
  const holder = await holderOf(database, first.id);
  const settled = store.claims.settle([
    completionOf(second),
    { id: first.id, token: first.token, verb: "retry", delayMs: 0, failure: FAILURE },
  ]);
  await somebodyWaits(database);
  expect(await isLocked(database, second.id)).toBe(false);
  await holder.query("ROLLBACK");
  expect((await settled).map((each) => each.ok && each.state)).toEqual(["completed", "pending"]);
});

test("claims that are completed together are locked by their ids, wherever their rows are", async () => {
  const database = new PostgresDatabase();
  // As if the table were so large that reading it in the order of the index were dearer.
  const url = new URL(database.url);
  url.searchParams.set("options", "-c enable_indexscan=off");
  const store = await database.open({}, url.href);
  const keys = (await claimed(store, ALL)).slice(0, SOME);
  const [first, second] = keys;
  if (first === undefined || second === undefined) throw new Error("There are no jobs");
  // Its row is behind all others from now on.
  await store.claims.extend([first], 60_000);
  await database.rows("ANALYZE jobs");
  const holder = await holderOf(database, first.id);
  const settled = store.claims.settle(keys.map(completionOf));
  await somebodyWaits(database);
  expect(await isLocked(database, second.id)).toBe(false);
  await holder.query("ROLLBACK");
  expect((await settled).filter(({ ok }) => ok)).toHaveLength(SOME);
});

test("dead jobs that are revived instead of others are locked when the first ones are let go", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const keys = await claimed(store, 3);
  for (const key of keys) await store.claims.settle([{ ...key, verb: "bury", failure: FAILURE }]);
  const [first, second, third] = keys.map(({ id }) => id);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("There are no jobs");
  const taker = await holderOf(database, second);
  const holder = await holderOf(database, third);
  const revived = store.jobs.reviveMany({ queue: "q" }, store.now(), 2);
  await somebodyWaits(database);
  await taker.query(`UPDATE ${database.s}.jobs SET state = 'completed' WHERE id = $1`, [second]);
  await taker.query("COMMIT");
  await database.until(async () => (await store.jobs.get(first))?.state === "pending");
  await holder.query("ROLLBACK");
  expect(await revived).toBe(2);
});

test("a job begins to wait for others while somebody who ends one of them has locked their flow", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const flow = await store.flows.create({
    name: "flow",
    jobs: ["parent", "child"].map((ref) => ({ ref, job: JOB, dependsOn: [] })),
    idempotency: null,
  });
  const request = { workerId: "w", queues: ["q"], names: null, max: 1, leaseMs: 60_000 };
  const [parent] = await store.claims.claim(request);
  if (parent === undefined) throw new Error("There was no job to claim");
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  await client.query(`SELECT 1 FROM ${database.s}.flows WHERE id = $1 FOR NO KEY UPDATE`, [flow.id]);
  const { id, token } = parent;
  expect(await store.claims.settle([{ verb: "wait", id, token, refs: ["child"] }])).toMatchObject([
    { ok: true, state: "blocked" },
  ]);
});
