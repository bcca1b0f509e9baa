import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { runPrograms } from "../../../test/support/programs.js";
import { openPool } from "./connection.js";
import { migrate, newestVersion, readMigrations, type Migration } from "./migrate.js";

const SECOND: Migration = { version: newestVersion() + 1, sql: "CREATE TABLE second (n int)" };
const FAILING: Migration = {
  version: newestVersion() + 2,
  sql: "CREATE TABLE third (n int); INSERT INTO third VALUES (1 / 0)",
};

/** Migrates as an opening does. */
async function migrateBy(database: PostgresDatabase, migrations?: readonly Migration[]): Promise<void> {
  const pool = openPool(database.url);
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  try {
    await migrate(client, database.s, "here", migrations);
  } finally {
    client.release();
  }
}

async function versionOf(database: PostgresDatabase): Promise<number | undefined> {
  return (await database.rows<{ version: number }>("SELECT version FROM schema_version"))[0]?.version;
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
    await expect(migrateBy(database, [{ ...FAILING, version: 1 }])).rejects.toThrow("division by zero");
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
    await database.rows("UPDATE schema_version SET version = 999");
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
    await database.rows("UPDATE schema_version SET version = 999");
    await expect(store.check()).rejects.toMatchObject({ code: "store_too_new" });
    await expect(store.queues.pause("default", null)).rejects.toMatchObject({ code: "store_too_new" });
    expect(await database.rows("SELECT * FROM queues")).toEqual([]);
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
