import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { systemClock, type Clock } from "../../core/clock.js";
import type { NewJob } from "../jobs.js";
import { Claim } from "./claim.js";
import { Committer } from "./committer.js";
import { openPool } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { DatabaseClock } from "./database-clock.js";
import { Enqueue } from "./enqueue.js";
import { LowerFloors } from "./lane-floors.js";
import { LaneStarts } from "./lane-starts.js";
import { RaiseFloors } from "./raise-floors.js";
import { FlowCounts } from "./flow-counts.js";
import { FlowEndStatements } from "./flow-ends.js";
import { LedgerStatements } from "./ledger.js";
import { SchemaGuard } from "./migrate.js";
import type { PostgresStore } from "./open.js";
import type { Transaction } from "./transaction.js";
import { newJob } from "../../../test/support/new-job.js";

/** Only the wall clock moves in these tests: by the other one the store looks for jobs below floors by itself. */
const MINUTE_MS = 60_000;
const LANE = { queue: "q", name: "n", priority: 4 };
const JOB = newJob({ ...LANE, maxAttempts: 3 });

/** A store, and the floors of its lanes to be raised when a test says so. */
async function setUp() {
  const database = new PostgresDatabase();
  const clock = new FakeClock();
  const store = await database.open({ clock });
  const { committer, floors } = floorsOf(database, clock);
  return { database, clock, store, committer, floors };
}

function floorsOf({ s, url }: PostgresDatabase, clock: Clock) {
  const pool = openPool(url);
  onTestFinished(() => pool.end());
  const time = new DatabaseClock(clock, clock.now(), true);
  const statements = {
    ledger: new LedgerStatements(s),
    floors: new LowerFloors(s),
    flowEnds: new FlowEndStatements(s),
    flowCounts: new FlowCounts(s),
  };
  const guard = new SchemaGuard(s, "here");
  const committer = new Committer(pool, systemClock, time, statements, guard, () => undefined, "here");
  return { committer, floors: new RaiseFloors(s, committer, time) };
}

async function floorOf(database: PostgresDatabase): Promise<number> {
  const [lane] = await database.rows<{ floor: number }>("SELECT floor FROM lanes");
  return lane?.floor ?? Number.NaN;
}

async function enqueue(store: PostgresStore, job: Partial<NewJob> = {}): Promise<string> {
  const [made] = await store.jobs.insertMany([{ ...JOB, ...job }]);
  return made?.id ?? "";
}

async function claim(store: PostgresStore) {
  const request = { workerId: "w", queues: ["q"], names: ["n"], max: 1, leaseMs: 24 * 60 * MINUTE_MS };
  return (await store.claims.claim(request))[0];
}

/** A client with an open transaction. */
async function transactionOf({ url }: PostgresDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  return client;
}

/** How many blocks of tables and indexes the statements of a claim read: one for the look, one to take a job. */
async function blocksReadByClaims(database: PostgresDatabase, now: number): Promise<number[]> {
  const read: number[] = [];
  const db = {
    now,
    query: async (text: string, values?: readonly unknown[]) => {
      const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
      const [plan] = await database.rows<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
        explain,
        values,
      );
      read.push(plan?.["QUERY PLAN"][0].Plan["Shared Hit Blocks"] ?? Number.NaN);
      return { rows: [] };
    },
  } as unknown as Transaction;
  const clock = new DatabaseClock(new FakeClock(now), now, true);
  const claims = new Claim({ s: database.s, clock } as PostgresContext, new LaneStarts(clock));
  const request = { workerId: "w", queues: ["q"], names: ["n"], max: 1, leaseMs: MINUTE_MS };
  await claims.queuesWithJobs(db, request);
  await claims.take(db, request, [{ queue: "q", limited: false }]);
  return read;
}

describe("the floor of a lane", () => {
  test("follows the first job that waits, and the present at a distance", async () => {
    const { database, clock, store, floors } = await setUp();
    const id = await enqueue(store);
    clock.stepWall(10 * MINUTE_MS);
    await floors.raise(LANE);
    expect(await floorOf(database)).toBe(T0);
    expect((await claim(store))?.id).toBe(id);
    await floors.raise(LANE);
    expect(await floorOf(database)).toBe(clock.now() - 10_000);
  });

  test("is raised by claims that take many jobs", async () => {
    const { database, clock, store } = await setUp();
    await store.jobs.insertMany(Array.from({ length: 1_000 }, () => JOB));
    clock.stepWall(10 * MINUTE_MS);
    const request = { workerId: "w", queues: ["q"], names: ["n"], max: 500, leaseMs: MINUTE_MS };
    expect(await store.claims.claim(request)).toHaveLength(500);
    expect(await store.claims.claim(request)).toHaveLength(500);
    await database.until(async () => (await floorOf(database)) === clock.now() - 10_000);
  });

  /** Each makes a job pending again whose time is long past. */
  const ways = {
    "is given back": async ({ store, clock }) => {
      await enqueue(store);
      const held = await claim(store);
      if (held === undefined) throw new Error("Nothing was claimed");
      clock.stepWall(10 * MINUTE_MS);
      return async () => {
        await store.claims.settle([{ verb: "release", id: held.id, token: held.token }]);
        return held.id;
      };
    },
    "is promoted late": async ({ store, clock }) => {
      const id = await enqueue(store, { delayMs: 1 });
      clock.stepWall(10 * MINUTE_MS);
      return async () => {
        expect(await store.claims.promote(10)).toBe(1);
        return id;
      };
    },
    "is enqueued for an earlier time": async ({ store, clock }) => {
      await enqueue(store);
      await claim(store);
      clock.stepWall(10 * MINUTE_MS);
      return () => enqueue(store, { runAt: T0 });
    },
  } satisfies Record<string, (given: Awaited<ReturnType<typeof setUp>>) => Promise<() => Promise<string>>>;

  test.each(Object.entries(ways))("is lowered for a job that %s", async (_, prepare) => {
    const given = await setUp();
    const { database, store, clock, floors } = given;
    const make = await prepare(given);
    await floors.raise(LANE);
    expect(await floorOf(database)).toBe(clock.now() - 10_000);
    const id = await make();
    expect((await claim(store))?.id).toBe(id);
  });

  test("is lowered when it was raised after the job was made and before its commit", async () => {
    const { database, store, clock, committer, floors } = await setUp();
    await enqueue(store);
    await claim(store);
    clock.stepWall(10 * MINUTE_MS);
    const enqueueIn = new Enqueue({ s: database.s } as PostgresContext);
    await committer.write(async (tx) => {
      await enqueueIn.insertAll(tx, [{ ...JOB, runAt: T0 }]);
      await floors.raise(LANE);
      expect(await floorOf(database)).toBe(clock.now() - 10_000);
    });
    expect(await claim(store)).toBeDefined();
  });

  test("stays where it is while a caller's transaction that enqueues is open", async () => {
    const { database, store, clock, floors } = await setUp();
    await enqueue(store);
    await claim(store);
    const client = await transactionOf(database);
    const [made] = await store.join(client).insertMany([JOB]);
    clock.stepWall(10 * MINUTE_MS);
    await floors.raise(LANE);
    expect(await floorOf(database)).toBe(0);
    await client.query("COMMIT");
    expect((await claim(store))?.id).toBe(made?.id);
    await floors.raise(LANE);
    expect(await floorOf(database)).toBe(clock.now() - 10_000);
  });

  test("and its lane keep nobody waiting while a caller's transaction that enqueues is open", async () => {
    const { database, store, clock, floors } = await setUp();
    await enqueue(store);
    const held = await claim(store);
    if (held === undefined) throw new Error("Nothing was claimed");
    clock.stepWall(10 * MINUTE_MS);
    await floors.raise(LANE);
    const [one, other] = [await transactionOf(database), await transactionOf(database)];
    // Below the floor, and in lanes that are new, in opposite order.
    await store.join(one).insertMany([{ ...JOB, runAt: T0 }]);
    await store.join(one).insertMany([{ ...JOB, name: "new-1" }]);
    await store.join(other).insertMany([{ ...JOB, name: "new-2" }]);
    await store.join(one).insertMany([{ ...JOB, name: "new-2" }]);
    await store.join(other).insertMany([{ ...JOB, name: "new-1" }]);
    await enqueue(store, { name: "new-1" });
    await enqueue(store, { runAt: T0 + 1 });
    await store.claims.settle([{ verb: "release", id: held.id, token: held.token }]);
    expect((await claim(store))?.id).toBe(held.id);
    await one.query("COMMIT");
    await other.query("ROLLBACK");
    expect((await claim(store))?.runAt).toBe(T0);
    expect((await claim(store))?.runAt).toBe(T0 + 1);
  });

  test("hides nothing that a caller's transaction enqueues, in a new lane or for an earlier time", async () => {
    const { database, store, clock, floors } = await setUp();
    await enqueue(store);
    await claim(store);
    clock.stepWall(10 * MINUTE_MS);
    await floors.raise(LANE);
    const client = await transactionOf(database);
    await store.join(client).insertMany([{ ...JOB, runAt: T0 }]);
    await store.join(client).insertMany([{ ...JOB, priority: 5 }]);
    await client.query("COMMIT");
    expect((await claim(store))?.priority).toBe(5);
    expect((await claim(store))?.runAt).toBe(T0);
  });

  test("keeps claims from reading what was taken, which no VACUUM can remove while a transaction is open", async () => {
    const { database, store, clock, floors } = await setUp();
    const old = await transactionOf(database);
    await old.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await old.query("SELECT 1");
    for (let round = 0; round < 10; round += 1) {
      await store.jobs.insertMany(Array.from({ length: 1_000 }, () => JOB));
      const request = { workerId: "w", queues: ["q"], names: ["n"], max: 1_000, leaseMs: MINUTE_MS };
      const jobs = await store.claims.claim(request);
      await store.claims.settle(
        jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
      );
    }
    clock.stepWall(MINUTE_MS);
    await floors.raise(LANE);
    for (const statistics of ["SELECT 1", "ANALYZE jobs, lanes"]) {
      await database.rows(statistics);
      await enqueue(store);
      for (const blocks of await blocksReadByClaims(database, clock.now())) expect(blocks).toBeLessThan(100);
    }
  });

  test("hides what is below it until somebody looks", async () => {
    const { database, store, clock, floors } = await setUp();
    const id = await enqueue(store);
    clock.stepWall(10 * MINUTE_MS);
    await database.rows("UPDATE lanes SET floor = $1", [T0 + MINUTE_MS]);
    expect(await claim(store)).toBeUndefined();
    await floors.check();
    expect((await claim(store))?.id).toBe(id);
  });

  test("counts for a claim that began a moment before it was raised", async () => {
    const { database, store, clock, floors } = await setUp();
    await enqueue(store);
    clock.stepWall(10 * MINUTE_MS);
    await database.rows("UPDATE lanes SET floor = $1", [clock.now() - 10_000 + 100]);
    expect(await claim(store)).toBeUndefined();
    await floors.check();
    expect(await claim(store)).toBeDefined();
  });

  test("says nothing after the clock was set back", async () => {
    const { database, store, clock, floors } = await setUp();
    await enqueue(store);
    await claim(store);
    clock.stepWall(60 * MINUTE_MS);
    await floors.raise(LANE);
    const earlier = new FakeClock(T0);
    const other = await database.open({ clock: earlier });
    const ids = [await enqueue(other), await enqueue(other)];
    expect((await claim(other))?.id).toBe(ids[0]);
    earlier.stepWall(30 * MINUTE_MS);
    await floorsOf(database, earlier).floors.raise(LANE);
    expect(await floorOf(database)).toBe(T0);
    earlier.stepWall(60 * MINUTE_MS);
    expect((await claim(other))?.id).toBe(ids[1]);
  });
});
