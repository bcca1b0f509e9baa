import type Database from "better-sqlite3";
import { expect } from "vitest";
import { columnsOf, readOnly, tablesOf } from "./contents.js";

/** Checks, from outside and by counting, that no job is half there and that the books are right. */
export function checkSound(file: string): void {
  readOnly(file, (db) => {
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    checkNothingHalfThere(db);
    checkKeysAndTags(db);
    checkCounters(db);
    checkSequences(db);
  });
}

/** Every job has its spec, and no row of any table belongs to a job that does not exist. */
function checkNothingHalfThere(db: Database.Database): void {
  const withoutSpec = "SELECT id FROM jobs WHERE id NOT IN (SELECT job_id FROM job_specs)";
  expect(db.prepare(withoutSpec).all(), "jobs without a spec").toEqual([]);
  const ofJobs = tablesOf(db).filter((table) => columnsOf(db, table).includes("job_id"));
  expect(ofJobs).toContain("job_specs");
  for (const table of ofJobs) {
    const orphans = db.prepare(`SELECT * FROM ${table} WHERE job_id NOT IN (SELECT id FROM jobs)`).all();
    expect(orphans, `orphans in ${table}`).toEqual([]);
  }
}

/** Keys and tags are kept twice: in the spec, and in a table to find jobs by them. */
function checkKeysAndTags(db: Database.Database): void {
  expect(
    db.prepare("SELECT key, job_id FROM idempotency_keys ORDER BY job_id").all(),
    "keys by table and by spec",
  ).toEqual(
    db
      .prepare(
        `SELECT idempotency_key AS key, job_id FROM job_specs
         WHERE idempotency_key IS NOT NULL ORDER BY job_id`,
      )
      .all(),
  );
  expect(
    db.prepare("SELECT tag, job_id FROM job_tags ORDER BY job_id, tag").all(),
    "tags by table and by spec",
  ).toEqual(
    db.prepare("SELECT value AS tag, job_id FROM job_specs, json_each(tags) ORDER BY job_id, value").all(),
  );
}

function checkCounters(db: Database.Database): void {
  expect(
    db.prepare("SELECT queue, name, state, n FROM counts WHERE n <> 0 ORDER BY 1, 2, 3").all(),
    "kept counters and a recount",
  ).toEqual(
    db.prepare("SELECT queue, name, state, count(*) AS n FROM jobs GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").all(),
  );
}

/** No number may be given out again. */
function checkSequences(db: Database.Database): void {
  const last = (name: string) =>
    db.prepare<[string], number>("SELECT value FROM sequences WHERE name = ?").pluck().get(name);
  const largest = (sql: string) => db.prepare<[], number>(sql).pluck().get();
  expect(last("job")).toBeGreaterThanOrEqual(largest("SELECT coalesce(max(id), 0) FROM jobs")!);
  expect(last("token")).toBeGreaterThanOrEqual(largest("SELECT coalesce(max(token), 0) FROM jobs")!);
  expect(last("token")).toBeGreaterThanOrEqual(largest("SELECT coalesce(max(token), 0) FROM attempts")!);
}
