import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { runPrograms } from "../../../test/support/programs.js";
import type { Clock } from "../../core/clock.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import { openPool } from "./connection.js";
import { inspectPostgres } from "./inspect.js";
import { migrate, newestVersion, readMigrations, type Migration } from "./migrate.js";
import { PostgresMoveIn } from "./move-in.js";

const NOW = newestVersion();
const SECOND: Migration = {
  version: NOW + 1,
  oldestCompatible: NOW + 1,
  sql: "CREATE TABLE second (n int)",
};
const BESIDE: Migration = { ...SECOND, oldestCompatible: NOW };
const FAILING: Migration = {
  version: NOW + 2,
  oldestCompatible: NOW + 2,
  sql: "CREATE TABLE third (n int); INSERT INTO third VALUES (1 / 0)",
};

/** Migrates as an opening does. */
async function migrateBy(
  database: PostgresDatabase,
  migrations?: readonly Migration[],
  clock?: Clock,
  url = database.url,
): Promise<void> {
  const pool = openPool(url);
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  try {
    await migrate(client, database.s, "here", clock, migrations);
  } finally {
    client.release();
  }
}

async function versionOf(database: PostgresDatabase): Promise<number | undefined> {
  return (await database.rows<{ version: number }>("SELECT version FROM schema_version"))[0]?.version;
}

/** A transaction of somebody else's that has read the version, and stays open. */
async function openTransaction(database: PostgresDatabase): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN");
  await client.query(`SELECT * FROM ${database.s}.schema_version`);
  return client;
}

/** Resolves when a migration waits for the others. */
function isWaiting(database: PostgresDatabase): Promise<void> {
  return database.until(async () => {
    const waiting = await database.rows(
      "SELECT 1 FROM pg_locks WHERE relation = to_regclass($1) AND mode = 'AccessExclusiveLock' AND NOT granted",
      [`${database.schema}.schema_version`],
    );
    return waiting.length > 0;
  });
}

async function tablesOf({ schema, rows }: PostgresDatabase): Promise<string[]> {
  const found = await rows<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' ORDER BY 1",
    [schema],
  );
  return found.map(({ relname }) => relname);
}

describe("migrate", () => {
  test("marks a new schema with its version, and does nothing to one that is up to date", async () => {
    const database = new PostgresDatabase();
    await database.open();
    expect(await versionOf(database)).toBe(newestVersion());
    const [before] = await database.rows("SELECT xmin::text FROM schema_version");
    await database.open();
    expect(await database.rows("SELECT xmin::text FROM schema_version")).toEqual([before]);
  });

  test("8 openings of a new schema at once, in one process and in several, all get it", async () => {
    const database = new PostgresDatabase();
    const program = new URL("../../../test/contract/programs/open-postgres.ts", import.meta.url);
    const [outputs] = await Promise.all([
      runPrograms(3, program, [database.url, database.schema, "5"]),
      ...Array.from({ length: 5 }, () => database.open()),
    ]);
    for (const { code, stderr } of outputs) expect([code, stderr]).toEqual([0, ""]);
    expect(await versionOf(database)).toBe(newestVersion());
    expect(await database.rows("SELECT count(*) AS n FROM jobs")).toEqual([{ n: 15 }]);
    expect(await database.rows("SELECT count(*) AS n FROM secrets")).toEqual([{ n: 1 }]);
  });

  test("a migration may take long, whatever statement_timeout its user has", async () => {
    const database = new PostgresDatabase();
    const url = new URL(database.url);
    url.searchParams.set("options", "-c statement_timeout=60000");
    const sql = "CREATE TABLE second AS SELECT current_setting('statement_timeout') AS allowed";
    await migrateBy(database, [...readMigrations(), { ...SECOND, sql }], undefined, url.href);
    expect(await database.rows("SELECT allowed FROM second")).toEqual([{ allowed: "0" }]);
  });

  test("a migration that fails leaves nothing of itself, and those before it", async () => {
    const database = new PostgresDatabase();
    const all = [...readMigrations(), SECOND, FAILING];
    await expect(migrateBy(database, all)).rejects.toThrow("division by zero");
    expect(await versionOf(database)).toBe(SECOND.version);
    const tables = await tablesOf(database);
    expect(tables).toContain("second");
    expect(tables).not.toContain("third");
    // The next program goes on where this one stopped.
    await migrateBy(database, [
      ...readMigrations(),
      SECOND,
      { ...FAILING, sql: "CREATE TABLE third (n int)" },
    ]);
    expect(await versionOf(database)).toBe(FAILING.version);
  });

  test("a first migration that fails leaves no schema", async () => {
    const database = new PostgresDatabase();
    await expect(migrateBy(database, [{ ...FAILING, version: 1, oldestCompatible: 1 }])).rejects.toThrow(
      "division by zero",
    );
    expect(await database.rows("SELECT to_regnamespace($1) AS s", [database.schema])).toEqual([{ s: null }]);
  });

  test("programs of two versions that migrate at once end with the newer one", async () => {
    const database = new PostgresDatabase();
    const newer = [...readMigrations(), SECOND];
    const outcomes = await Promise.allSettled([
      migrateBy(database, newer),
      migrateBy(database),
      migrateBy(database, newer),
      migrateBy(database),
    ]);
    expect(await versionOf(database)).toBe(SECOND.version);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "store_too_new" });
    }
    expect([outcomes[0].status, outcomes[2].status]).toEqual(["fulfilled", "fulfilled"]);
  });

  test("PGS-09 refuses the schema of a newer program and leaves it alone", async () => {
    const database = new PostgresDatabase();
    await database.open();
    await database.rows("UPDATE schema_version SET version = 999, oldest_compatible = 999");
    await expect(database.open()).rejects.toMatchObject({
      code: "store_too_new",
      message: expect.stringMatching(/schema version 999.*Update Konveier/) as string,
    });
    expect(await versionOf(database)).toBe(999);
  });

  test("PGS-09 a running program notices that a newer one has migrated its schema", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    await store.check();
    await database.rows("UPDATE schema_version SET version = 999, oldest_compatible = 999");
    await expect(store.check()).rejects.toMatchObject({ code: "store_too_new" });
    await expect(store.queues.pause("default", null)).rejects.toMatchObject({ code: "store_too_new" });
    expect(await database.rows("SELECT * FROM queues")).toEqual([]);
  });

  test.each([
    ["is not added up", SECOND, 1],
    ["is added up when the newer one lets it go on", BESIDE, 0],
  ])("PGS-09 what a program has left at its end %s", async (_, migration, left) => {
    const database = new PostgresDatabase();
    const store = await database.open();
    await enqueue(createContext(store), { name: "a" });
    await migrateBy(database, [...readMigrations(), migration]);
    await store.close();
    expect(await database.rows("SELECT count(*) AS n FROM deltas")).toEqual([{ n: left }]);
  });

  test("PGS-09 what a running program reads meanwhile is refused, and not taken for a loss", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    await migrateBy(database, [...readMigrations(), { ...SECOND, sql: "DROP TABLE queues CASCADE" }]);
    await expect(store.queues.list()).rejects.toMatchObject({ code: "store_too_new" });
    // What is still there, too: it may mean something else now.
    await expect(store.jobs.list({}, 10, null)).rejects.toMatchObject({ code: "store_too_new" });
  });

  test("PGS-09 a move that is under way stops at a newer schema", async () => {
    const database = new PostgresDatabase();
    const into = await PostgresMoveIn.open(database.url, database.schema);
    onTestFinished(() => into.close());
    await migrateBy(database, [...readMigrations(), SECOND]);
    await expect(into.begin("source", [])).rejects.toMatchObject({ code: "store_too_new" });
    expect(await database.rows("SELECT * FROM moving")).toEqual([]);
  });

  test("a program goes on, and starts, on a newer schema that says that it may", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    await migrateBy(database, [...readMigrations(), BESIDE]);
    await store.check();
    await store.queues.pause("default", null);
    const another = await database.open();
    expect(await another.about()).toMatchObject({ schemaVersion: BESIDE.version });
    expect((await another.queues.list()).map(({ name }) => name)).toEqual(["default"]);
    expect(await inspectPostgres(database.url, database.schema)).toMatchObject({
      schemaVersion: BESIDE.version,
      newestVersion: NOW,
    });
    expect(await versionOf(database)).toBe(BESIDE.version);
  });

  test("whoever was left behind stays behind", async () => {
    const database = new PostgresDatabase();
    const third = { ...FAILING, oldestCompatible: NOW, sql: "SELECT" };
    await migrateBy(database, [...readMigrations(), SECOND, third]);
    expect(await database.rows("SELECT version, oldest_compatible FROM schema_version")).toEqual([
      { version: third.version, oldest_compatible: SECOND.version },
    ]);
    await expect(database.open()).rejects.toMatchObject({ code: "store_too_new" });
  });

  test("transactions that have begun end on the schema that they know, others write meanwhile", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    const client = await openTransaction(database);
    const migrated = migrateBy(database, [...readMigrations(), SECOND]);
    await isWaiting(database);
    // It waits behind the migration, which gives way.
    await store.queues.pause("default", null);
    await client.query(`UPDATE ${database.s}.queues SET paused_at = NULL`);
    expect(await versionOf(database)).toBe(NOW);
    await client.query("COMMIT");
    await migrated;
    expect(await versionOf(database)).toBe(SECOND.version);
    await client.query("BEGIN");
    await expect(store.join(client).insertMany([])).rejects.toMatchObject({ code: "store_too_new" });
  });

  test("says what is in the way when somebody does not let go, and changes nothing", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    await openTransaction(database);
    const clock = new FakeClock();
    const migrated = migrateBy(database, [...readMigrations(), SECOND], clock);
    const refused = expect(migrated).rejects.toMatchObject({
      code: "store_busy",
      message: expect.stringMatching(
        /^here could not be brought to schema version \d+: .*xact_start/,
      ) as string,
    });
    await database.until(() => Promise.resolve(clock.pendingTimers > 0));
    await clock.advance(60_000);
    await refused;
    expect(await versionOf(database)).toBe(NOW);
    await store.checkWrite();
  });

  test.each([
    ["a table", "CREATE TABLE customers (id int)"],
    [
      "a version of its own",
      "CREATE TABLE schema_version (version int); INSERT INTO schema_version VALUES (1)",
    ],
    ["a version as text", "CREATE TABLE schema_version (installed_rank int, version text)"],
    ["tables named like ours", "CREATE TABLE jobs (id int)"],
  ])("refuses the schema of another program: it has %s", async (_, sql) => {
    const database = new PostgresDatabase();
    await database.rows(`CREATE SCHEMA ${database.schema}`);
    await database.rows(sql);
    const before = await tablesOf(database);
    await expect(database.open()).rejects.toMatchObject({
      code: "store_unsupported",
      message: expect.stringContaining("tables of another program") as string,
    });
    expect(await tablesOf(database)).toEqual(before);
  });
});
