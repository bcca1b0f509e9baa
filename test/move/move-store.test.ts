import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { moveStore, type MoveReport } from "../../src/move-store.js";
import { MOVED_TABLES } from "../../src/store/moved-tables.js";
import { openPostgresStore, type PostgresStore } from "../../src/store/postgres/open.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import type { Store } from "../../src/store/store.js";
import { openWorld, OPERATIONS, perform, type World } from "../crash/sequence.js";
import { FakeClock } from "../support/fake-clock.js";
import { postgresUrl } from "../support/postgres-factory.js";
import { allJobs, checkBooks } from "../support/recount.js";
import { tempDirectory } from "../support/temp-directory.js";
import { newJob } from "../support/new-job.js";

const HARD = 'NUL \0, lone \ud800, quote ", backslash \\, \u202e, emoji 🧵';

interface House {
  readonly clock: FakeClock;
  readonly file: string;
  /** What the last client knew. */
  readonly memory: World["memory"];
  readonly schema: string;
  readonly move: (onTable?: (table: string) => void) => Promise<MoveReport>;
  readonly open: () => Promise<PostgresStore>;
}

/** A file in which everything has happened that can happen, and a schema to move it to. */
async function house(): Promise<House> {
  const clock = new FakeClock();
  const file = join(tempDirectory(), "konveier.db");
  const schema = `test_${randomBytes(6).toString("hex")}`;
  let world = openWorld(file, clock, () => undefined);
  for (const operation of OPERATIONS) {
    await clock.advance(operation.afterMs ?? 0);
    world = await perform(world, operation);
  }
  const { store } = world;
  const job = { name: "hard", queue: "hard", payload: JSON.stringify({ text: HARD }) };
  await store.jobs.insertMany([newJob(job), newJob(job)]);
  const [claimed, dying] = await store.claims.claim({
    workerId: "w",
    queues: ["hard"],
    names: null,
    max: 2,
    leaseMs: 60_000,
  });
  if (claimed === undefined || dying === undefined) throw new Error("The hard job was not claimed");
  await store.claims.log(claimed, [{ level: "info", message: HARD }], 1);
  await store.claims.progress(claimed, 33.3, HARD);
  await store.steps.store(claimed, "Zoë \u{1f600}", JSON.stringify(HARD));
  await store.steps.store(claimed, "nothing", null);
  const error = { type: "Error", message: HARD, stack: HARD };
  await store.claims.settle([{ verb: "bury", ...dying, failure: { outcome: "failed", error } }]);
  await store.queues.pause("hard", HARD);
  await store.tokens.insert({
    id: "t",
    name: "Zoë",
    scopes: ["admin"],
    queues: ["a*"],
    createdBy: "x",
    expiresAt: null,
    digest: randomBytes(32),
  });
  await store.tokens.openSession(randomBytes(32), { tokenId: "t", tokenDigest: randomBytes(32) });
  const entry = { tokenId: "t", tokenName: HARD, session: true, ip: "::1", requestId: "r", action: "a" };
  await store.audit.begin({ ...entry, target: HARD, detail: null, status: null });
  await store.close();

  const client = new pg.Client(postgresUrl());
  await client.connect();
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });
  return {
    clock,
    file,
    memory: world.memory,
    schema,
    move: (onTable) => moveStore(`sqlite:${file}`, { url: postgresUrl(), schema }, onTable),
    async open() {
      const opened = await openPostgresStore(postgresUrl(), { schema, clock });
      onTestFinished(() => opened.close());
      return opened;
    },
  };
}

/** Everything that a store tells of what is in it. */
async function told(store: Store) {
  const jobs = await allJobs(store);
  const { items: schedules } = await store.schedules.list(100, null);
  const series = { from: 0, to: 4e12 };
  return {
    jobs: await Promise.all(
      jobs.map(async ({ id }) => ({
        detail: await store.jobs.detail(id),
        payload: await store.jobs.payload(id),
        result: await store.jobs.result(id),
        attempts: await store.jobs.attempts(id),
        logs: await store.jobs.logs(id, 0, 1_000),
        steps: await store.steps.list(id),
        stepResult: await store.steps.result(id, 1),
      })),
    ),
    queues: await store.queues.list(),
    dead: await store.dead.groups({}, null, "latest", 100),
    schedules,
    runs: await Promise.all(schedules.map(({ key }) => store.schedules.runs(key, 100, null))),
    operations: await store.operations.list(100, null, null),
    tokens: await store.tokens.list(),
    audit: await store.audit.list(100, null),
    secret: await store.signingSecret(),
    totals: sorted(await store.stats.totals()),
    minutes: sorted(await store.stats.series({ ...series, step: "minute" }, "lanes")),
    hours: sorted(await store.stats.series({ ...series, step: "hour" }, "lanes")),
  };
}

function sorted<Entry>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function refusal(move: Promise<unknown>): Promise<string> {
  const error = await move.then(
    () => new Error("was not refused"),
    (thrown: unknown) => thrown as Error,
  );
  return error.message;
}

describe("moveStore", () => {
  test("names every table of the file but those of the moment", async () => {
    const { file } = await house();
    const db = new Database(file);
    const there = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const columns = (table: string) =>
      db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table).toSorted();
    const staying = ["sequences", "events", "journal", "claim_ids", "workers", "sqlite_sequence"];
    const expected = there.filter((name) => !staying.includes(name) && !name.startsWith("sqlite_stat"));
    expect(MOVED_TABLES.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    for (const { name, columns: moved } of MOVED_TABLES) {
      expect(Object.keys(moved).toSorted(), name).toEqual(columns(name));
    }
    db.close();
  });

  test("moves everything, and both tell the same", async () => {
    const { clock, file, move, open } = await house();
    const report = await move();
    expect(report.jobs).toBeGreaterThan(10);
    // A flow of thousands that is half told would be needed for a row of that one.
    const filled = MOVED_TABLES.filter(({ name }) => name !== "ends_to_tell");
    for (const { name } of filled) expect(report.rows[name], name).toBeGreaterThan(0);
    const before = openSqliteStore(file, { clock });
    const after = await open();
    await checkBooks(after);
    expect(await told(after)).toEqual(await told(before));
    await before.close();
  });

  test("goes on with ids, fencing tokens and event numbers, and keeps claims", async () => {
    const { clock, file, move, open } = await house();
    const before = openSqliteStore(file, { clock });
    const latest = await before.events.latest();
    const [newest] = (await before.jobs.list({}, 1, null)).items;
    const running = (await before.jobs.list({ state: "running" }, 100, null)).items;
    await before.close();
    await move();
    const after = await open();
    const [job] = await after.jobs.insertMany([newJob({ name: "a", queue: "a" })]);
    expect(Number(job?.id)).toBeGreaterThan(Number(newest?.id));
    const [claim] = await after.claims.claim({
      workerId: "w",
      queues: ["a"],
      names: null,
      max: 1,
      leaseMs: 1,
    });
    expect(claim?.token).toBeGreaterThan(Math.max(...running.map(({ token }) => token ?? 0)));
    expect(await after.events.latest()).toBeGreaterThan(latest);
    expect((await after.events.after(latest, 10)).gap).toBe("history_gap");
    for (const { id, token } of running) {
      const completion = {
        verb: "complete",
        id,
        token: token ?? 0,
        result: null,
        resultProblem: null,
      } as const;
      expect(await after.claims.settle([completion])).toMatchObject([{ ok: true }]);
    }
    const version = (await after.schedules.list(1, null)).items[0]?.version ?? 0;
    expect(version).toBeGreaterThan(0);
    await checkBooks(after);
  });

  test("goes on where it was interrupted, wherever that is", async () => {
    const { clock, file, move, open } = await house();
    for (const { name } of MOVED_TABLES) {
      const interrupted = move((table) => {
        if (table === name) throw new Error(`interrupted before ${name}`);
      });
      expect(await refusal(interrupted)).toBe(`interrupted before ${name}`);
      expect(await refusal(open())).toContain("is being moved here");
    }
    await move();
    const before = openSqliteStore(file, { clock });
    expect(await told(await open())).toEqual(await told(before));
    await before.close();
  });

  test("refuses a target that has anything in it, and a source that has changed since", async () => {
    const { clock, file, schema, move, open } = await house();
    const other = await openPostgresStore(postgresUrl(), { schema, clock });
    await other.queues.pause("q", null);
    expect(await refusal(move())).toContain("is not empty: it has rows in queues");
    await other.close();
    const client = new pg.Client(postgresUrl());
    await client.connect();
    await client.query(`DELETE FROM ${schema}.queues`);
    await client.end();
    await refusal(
      move((table) => {
        if (table === "schedules") throw new Error("interrupted");
      }),
    );
    const before = openSqliteStore(file, { clock });
    await before.jobs.insertMany([newJob({ name: "a", queue: "a" })]);
    await before.close();
    expect(await refusal(move())).toContain("an unfinished move");
    expect(await refusal(open())).toContain("is being moved here");
  });

  test("nobody can write into the file meanwhile, and afterwards it is as it was", async () => {
    const { file, move } = await house();
    const db = new Database(file, { timeout: 0 });
    let met = "";
    await move(() => {
      try {
        db.exec("BEGIN IMMEDIATE");
      } catch (error) {
        met = (error as { code: string }).code;
      }
    });
    expect(met).toBe("SQLITE_BUSY");
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    db.close();
  });

  test("a difference is found, and the target stays closed", async () => {
    const { schema, move, open } = await house();
    const client = new pg.Client(postgresUrl());
    await client.connect();
    let spoilt: Promise<unknown> = Promise.resolve();
    const moved = move((table) => {
      if (table === "total_durations")
        spoilt = client.query(`UPDATE ${schema}.attempts SET number = number + 1`);
    });
    expect(await refusal(moved)).toContain("attempts has");
    await spoilt;
    expect(await refusal(open())).toContain("is being moved here");
    await client.end();
  });
});
