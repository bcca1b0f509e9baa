import type Database from "better-sqlite3";
import { expect } from "vitest";
import { kindOfStoredError } from "../../src/store/stored-error-kind.js";
import { columnsOf, readOnly, tablesOf } from "./contents.js";

/** Checks, from outside and by counting, that no job is half there and that the books are right. */
export function checkSound(file: string): void {
  readOnly(file, (db) => {
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    checkNothingHalfThere(db);
    checkKeysAndTags(db);
    checkUniqueKeys(db);
    checkLimits(db);
    checkCounters(db);
    checkDeadGroups(db);
    checkSequences(db);
    checkSchedules(db);
  });
}

/** History that outlives the jobs that it tells of. */
const OUTLIVES_JOBS = "schedule_runs";

/** Every job has its spec, and no row of any table belongs to a job that does not exist. */
function checkNothingHalfThere(db: Database.Database): void {
  const withoutSpec = "SELECT id FROM jobs WHERE id NOT IN (SELECT job_id FROM job_specs)";
  expect(db.prepare(withoutSpec).all(), "jobs without a spec").toEqual([]);
  const ofJobs = tablesOf(db).filter(
    (table) => table !== OUTLIVES_JOBS && columnsOf(db, table).includes("job_id"),
  );
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

/** The newest of the jobs that were made with a unique key has it, or had it last. */
function checkUniqueKeys(db: Database.Database): void {
  const wrong = db.prepare(
    `SELECT key, unique_keys.job_id, newest FROM unique_keys LEFT JOIN (
       SELECT unique_key, max(job_id) AS newest FROM job_specs GROUP BY unique_key
     ) ON unique_key = key WHERE newest IS NOT unique_keys.job_id`,
  );
  expect(wrong.all(), "unique keys of another job than by its spec").toEqual([]);
}

/** What holds jobs back belongs to queues that there are. */
function checkLimits(db: Database.Database): void {
  for (const table of ["rate_buckets", "holds"]) {
    const orphans = db.prepare(
      `SELECT * FROM ${table} WHERE queue NOT IN (SELECT name FROM queues UNION SELECT queue FROM jobs)`,
    );
    expect(orphans.all(), `${table} of no queue`).toEqual([]);
  }
}

function checkCounters(db: Database.Database): void {
  expect(
    db.prepare("SELECT queue, name, state, n FROM counts WHERE n <> 0 ORDER BY 1, 2, 3").all(),
    "kept counters and a recount",
  ).toEqual(
    db.prepare("SELECT queue, name, state, count(*) AS n FROM jobs GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").all(),
  );
}

function checkDeadGroups(db: Database.Database): void {
  const dead = db.prepare<[], { id: number; queue: string; name: string; at: number; error: string | null }>(
    `SELECT id, queue, name, finished_at AS at, (
       SELECT error FROM attempts WHERE job_id = jobs.id AND error IS NOT NULL ORDER BY token DESC LIMIT 1
     ) AS error FROM jobs WHERE state = 'dead' ORDER BY id`,
  );
  const recounted = dead.all().map(({ error, ...job }) => ({ ...job, ...kindOfStoredError(error) }));
  expect(
    db
      .prepare(
        `SELECT job_id AS id, queue, name, died_at AS at, fingerprint, type, message
         FROM dead_jobs LEFT JOIN dead_groups ON dead_groups.id = group_id ORDER BY job_id`,
      )
      .all(),
    "dead jobs in their groups and a recount",
  ).toEqual(recounted);
  const wrong = db.prepare(
    `SELECT dead_groups.* FROM dead_groups LEFT JOIN dead_jobs ON group_id = dead_groups.id
     GROUP BY dead_groups.id HAVING n <> count(job_id) OR last_at IS NOT max(died_at)`,
  );
  expect(wrong.all(), "groups of dead jobs with a wrong count or time").toEqual([]);
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

/**
 * Checks that no slot has two jobs, also those of schedules that were deleted with their history.
 *
 * @param byHand ids of jobs that were made by hand, beside those that a history tells of: they have no slot
 */
export function checkOneJobPerSlot(file: string, byHand: readonly string[] = []): void {
  const twice = readOnly(file, (db) =>
    db
      .prepare<[string]>(
        `SELECT schedule_key, slot, count(*) AS jobs FROM job_specs
         WHERE schedule_key IS NOT NULL
           AND job_id NOT IN (SELECT job_id FROM schedule_runs WHERE manual AND job_id IS NOT NULL)
           AND job_id NOT IN (SELECT CAST(value AS INTEGER) FROM json_each(?))
         GROUP BY 1, 2 HAVING count(*) > 1`,
      )
      .all(JSON.stringify(byHand)),
  );
  expect(twice, "slots with more than one job").toEqual([]);
}

/** Every slot was fired once, and what the schedules count is what their histories tell. */
function checkSchedules(db: Database.Database): void {
  const none = (what: string, sql: string) => {
    expect(db.prepare(sql).all(), what).toEqual([]);
  };
  none("history of no schedule", "SELECT * FROM schedule_runs WHERE key NOT IN (SELECT key FROM schedules)");
  none(
    "slots in the history twice",
    "SELECT key, slot FROM schedule_runs WHERE NOT manual GROUP BY 1, 2 HAVING count(*) > 1",
  );
  none(
    "slots that were missed and fired",
    `SELECT fired.* FROM schedule_runs AS missed JOIN schedule_runs AS fired USING (key)
     WHERE missed.outcome = 'missed' AND NOT fired.manual AND fired.seq <> missed.seq
       AND fired.slot BETWEEN missed.slot AND missed.through`,
  );
  none(
    "slots that were fired and are to come",
    `SELECT * FROM schedules JOIN schedule_runs USING (key) WHERE NOT manual AND through >= next_slot`,
  );
  none(
    "jobs of another slot than their entry",
    `SELECT * FROM schedule_runs JOIN job_specs USING (job_id)
     WHERE key IS NOT schedule_key OR schedule_runs.slot IS NOT job_specs.slot`,
  );
  none(
    "jobs that two entries tell of",
    "SELECT job_id FROM schedule_runs WHERE job_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1",
  );
  none(
    "entries with the wrong idea of a job",
    "SELECT * FROM schedule_runs WHERE (outcome = 'enqueued') <> (job_id IS NOT NULL)",
  );
  none(
    "slots that wait and are not in the history, or the other way round",
    `SELECT key, waiting_slot, slot FROM schedules
     FULL JOIN (SELECT key, slot FROM schedule_runs WHERE outcome = 'waiting') USING (key)
     WHERE waiting_slot IS NOT slot`,
  );
  none(
    "totals and a recount of a whole history",
    `SELECT key FROM schedules LEFT JOIN schedule_runs USING (key) GROUP BY key
     HAVING count(seq) = last_seq AND (max(seq) <> last_seq
       OR enqueued <> count(*) FILTER (WHERE outcome = 'enqueued')
       OR skipped <> count(*) FILTER (WHERE outcome = 'skipped')
       OR missed_count <> count(*) FILTER (WHERE outcome = 'missed'))`,
  );
  none(
    "histories with a gap",
    `SELECT key FROM schedules JOIN schedule_runs USING (key)
     WHERE overlap = 'allow' GROUP BY key HAVING max(seq) <> last_seq OR count(*) < min(last_seq, 100)`,
  );
}
