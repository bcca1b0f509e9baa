import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runPrograms } from "../../../test/support/programs.js";
import { connectionOf, SqliteFile } from "../../../test/support/sqlite-file.js";
import { kindOfError } from "../../core/error-fingerprint.js";
import type { KonveierError } from "../../core/errors.js";
import { migrate } from "./migrate.js";
import type { SqliteStore } from "./open.js";

const MIGRATIONS = new URL("./migrations/", import.meta.url);

/** Each job has the fingerprint that it would get if it died now. */
async function checkDeadGroupsOf(store: SqliteStore, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const job = await store.jobs.detail(String(id));
    expect(job?.fingerprint).toBe(kindOfError(job?.lastError ?? null).fingerprint);
  }
}

/** The error that a call is refused with. */
function refusal(call: () => unknown): KonveierError {
  try {
    call();
  } catch (error) {
    return error as KonveierError;
  }
  throw new Error("not refused");
}

function versions(file: SqliteFile): unknown[] {
  const db = file.raw();
  return [db.pragma("user_version", { simple: true }), db.pragma("application_id", { simple: true })];
}

describe("migrate", () => {
  test("marks a new file with its version and as ours", () => {
    const file = new SqliteFile();
    file.open();
    const [version, id] = versions(file);
    expect(version).toBeGreaterThanOrEqual(1);
    expect(id).toBe(0x4b6f6e76);
  });

  test("does nothing to a file that is up to date", async () => {
    const file = new SqliteFile();
    await file.open().close();
    const before = file.dump();
    await file.open().close();
    expect(file.dump()).toEqual(before);
  });

  test("takes a file of the first version on, with everything in it", async () => {
    const file = new SqliteFile();
    const first = readFileSync(new URL("./migrations/0001_initial.sql", import.meta.url), "utf8");
    const db = file.raw();
    db.exec(first);
    db.pragma("user_version = 1");
    db.pragma("application_id = 1265593974");
    db.exec(`
      INSERT INTO jobs (id, queue, name, state, priority, max_attempts, created_at, run_at)
        VALUES (7, 'default', 'old', 'pending', 4, 20, 1, 1);
      INSERT INTO job_specs (job_id, payload, budget) VALUES (7, '"kept"', 20);
      INSERT INTO counts VALUES ('default', 'old', 'pending', 1);
      INSERT INTO minute_events VALUES (3600000, 'default', 'old', 'enqueued', 2),
        (7140000, 'default', 'old', 'enqueued', 3), (7200000, 'default', 'old', 'enqueued', 4);
      INSERT INTO minute_durations VALUES (3600000, 'default', 'old', 'run', 1, 2, 12),
        (7200000, 'default', 'old', 'run', 1, 1, 10);
      UPDATE sequences SET value = 7 WHERE name = 'job';`);
    const store = file.open();
    const [total] = await store.stats.totals();
    expect(total).toMatchObject({ events: { enqueued: 9 }, durations: { run: { count: 3, sumMs: 22 } } });
    const hours = await store.stats.series({ from: 0, to: 1e9, step: "hour" }, "lanes");
    expect(hours.map(({ at, events }) => [at, events.enqueued])).toEqual([
      [3_600_000, 5],
      [7_200_000, 4],
    ]);
    const [job] = await store.claims.claim({
      ...{ workerId: "w", queues: ["default"], names: null, max: 1, leaseMs: 1_000 },
    });
    expect(job).toMatchObject({ id: "7", payload: '"kept"', schedule: null });
    expect(await store.schedules.list(10, null)).toEqual({ items: [], next: null });
    expect(versions(file)[0]).toBeGreaterThanOrEqual(2);
  });

  test("groups the dead jobs of a file from before there were groups", async () => {
    const file = new SqliteFile();
    const db = file.raw();
    for (const name of readdirSync(MIGRATIONS).sort()) {
      const version = Number(name.slice(0, 4));
      if (version > 8) continue;
      db.exec(readFileSync(new URL(name, MIGRATIONS), "utf8"));
      db.pragma(`user_version = ${version}`);
    }
    db.pragma("application_id = 1265593974");
    const insert = (id: number, state: string, queue: string, at: number, ...errors: string[]) => {
      db.prepare(
        `INSERT INTO jobs (id, queue, name, state, priority, attempt, max_attempts, created_at, run_at, finished_at)
         VALUES (?, ?, 'n', ?, 4, 2, 2, 1, 1, ?)`,
      ).run(id, queue, state, at);
      db.prepare("INSERT INTO job_specs (job_id, payload, budget) VALUES (?, 'null', 2)").run(id);
      db.prepare(`INSERT INTO counts VALUES (?, 'n', ?, 1) ON CONFLICT DO UPDATE SET n = n + 1`).run(
        queue,
        state,
      );
      for (const [index, error] of errors.entries()) {
        db.prepare("INSERT INTO attempts VALUES (?, ?, ?, 'w', 1, 1, 'failed', ?, NULL)").run(
          ...[id, index + 1, index + 1, error],
        );
      }
    };
    const error = (message: string) => JSON.stringify({ type: "E", message, stack: null });
    insert(1, "dead", "a", 30, error("other"), error("row 1"));
    insert(2, "dead", "a", 10, error("row 22"));
    insert(3, "dead", "b", 20, error("row 3"));
    insert(4, "dead", "a", 40);
    insert(5, "dead", "a", 50, "no json");
    insert(6, "completed", "a", 60, error("row 6"));

    const store = file.open();
    expect(
      (await store.dead.groups({}, null, "latest", 10)).map(
        ({ queue, message, count, firstAt, lastAt, latestJobId }) =>
          [queue, message, count, firstAt, lastAt, latestJobId].join(" "),
      ),
    ).toEqual(["a No error was kept 2 40 50 5", "a row <n> 2 10 30 1", "b row <n> 1 20 20 3"]);
    await checkDeadGroupsOf(store, [1, 2, 3, 4]);
    await store.jobs.revive("1");
    expect(await store.dead.groups({ queue: "a" }, null, "latest", 10)).toMatchObject([
      { count: 2 },
      { message: "row <n>", count: 1, lastAt: 10, latestJobId: "2" },
    ]);
  });

  test("PGS-09 refuses a file of a newer program and leaves it alone", async () => {
    const file = new SqliteFile();
    await file.open().close();
    file.raw().pragma("user_version = 999");
    const before = file.dump();
    const error = refusal(() => file.open());
    expect(error.code).toBe("store_too_new");
    expect(error.message).toContain(file.path);
    expect(error.message).toMatch(/schema version 999.*Update Konveier/);
    expect(file.dump()).toEqual(before);
    expect(versions(file)[0]).toBe(999);
  });

  test("PGS-09 a running program notices that a newer one has migrated its file", async () => {
    const file = new SqliteFile();
    const store = file.open();
    await store.check();
    file.raw().pragma("user_version = 999");
    await expect(store.check()).rejects.toMatchObject({ code: "store_too_new" });
    const before = file.dump();
    await expect(store.queues.pause("default", null)).rejects.toMatchObject({ code: "store_too_new" });
    expect(file.dump()).toEqual(before);
  });

  test.each([
    ["a table", "CREATE TABLE customers (id INTEGER)"],
    ["only a version", "PRAGMA user_version = 1"],
    ["an application id", "PRAGMA application_id = 42"],
    ["tables named like ours", "CREATE TABLE jobs (id INTEGER); PRAGMA user_version = 1"],
  ])("refuses the database of another program: it has %s", (_, sql) => {
    const file = new SqliteFile();
    const db = file.raw();
    db.exec(sql);
    const error = refusal(() => file.open());
    expect(error.code).toBe("store_unsupported");
    expect(error.message).toContain(file.path);
    const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema").pluck().all();
    expect(tables).not.toContain("job_specs");
  });

  test("a migration that fails leaves nothing of itself", () => {
    const file = new SqliteFile();
    const db = file.raw();
    const exec = db.exec.bind(db);
    db.exec = (sql) => exec(`${sql}; CREATE TABLE broken (`);
    expect(() => {
      migrate(db);
    }).toThrow(/incomplete input|syntax error/);
    expect(versions(file)).toEqual([0, 0]);
    expect(db.prepare("SELECT * FROM sqlite_schema").all()).toEqual([]);
    db.exec = exec;
    migrate(db);
    expect(versions(file)[0]).toBeGreaterThanOrEqual(1);
  });

  test("the waits for other processes are short again afterwards", () => {
    const file = new SqliteFile();
    expect(connectionOf(file.open()).pragma("busy_timeout", { simple: true })).toBeLessThanOrEqual(10);
  });

  test("8 processes that open a new file at once all get it", async () => {
    const file = new SqliteFile();
    const program = new URL("../../../test/contract/programs/open-and-enqueue.ts", import.meta.url);
    const outputs = await runPrograms(8, program, [file.path, "25"]);
    for (const { code, stderr } of outputs) expect([code, stderr]).toEqual([0, ""]);
    const { jobs, secrets } = file.dump();
    expect(jobs).toHaveLength(8 * 25);
    expect(secrets).toHaveLength(1);
  });
});
