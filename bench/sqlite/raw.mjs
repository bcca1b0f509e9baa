// node raw.mjs full|normal JOBS
//
// The product's own tables and the least statements that an enqueue, a claim of 200 and a completion need,
// in one transaction a batch, without a queue around them: no promises, handlers, counters or fencing.
import { readdirSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { payload, rate } from "../workload.mjs";
import { freshFile } from "./fresh-file.mjs";

const [, , synchronous, count] = process.argv;
const jobs = Number(count);
const db = new Database(freshFile());
db.pragma("journal_mode = WAL");
db.pragma(`synchronous = ${synchronous}`);
db.pragma("cache_size = -65536");
const migrations = new URL("../../src/store/sqlite/migrations/", import.meta.url);
for (const file of readdirSync(migrations).sort()) db.exec(readFileSync(new URL(file, migrations), "utf8"));

const insertJob = db.prepare(
  `INSERT INTO jobs (id, queue, name, state, priority, max_attempts, created_at, run_at)
   VALUES (?, 'default', 'noop', 'pending', 4, 20, ?, ?)`,
);
const insertSpec = db.prepare("INSERT INTO job_specs (job_id, payload, budget) VALUES (?, ?, 20)");
const claim = db
  .prepare(
    `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = ?, worker_id = 'raw', started_at = ?,
       token = ?
     WHERE id IN (SELECT id FROM jobs WHERE state = 'pending' AND queue = 'default' AND name = 'noop'
                  ORDER BY priority DESC, run_at, id LIMIT 200)
     RETURNING id`,
  )
  .pluck();
const readPayload = db.prepare("SELECT payload FROM job_specs WHERE job_id = ?").pluck();
const complete = db.prepare(
  `UPDATE jobs SET state = 'completed', finished_at = ?, lease_until = 0
   WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running'`,
);

const enqueueMany = await rate(jobs, () => {
  for (let from = 0; from < jobs; from += 1000) {
    db.transaction(() => {
      for (let id = from + 1; id <= Math.min(from + 1000, jobs); id += 1) {
        const now = Date.now();
        insertJob.run(id, now, now);
        insertSpec.run(id, JSON.stringify(payload(id)));
      }
    }).immediate();
  }
});
const drain = await rate(jobs, () => {
  let finished = [];
  let token = 0;
  do {
    db.transaction(() => {
      const now = Date.now();
      complete.run(now, JSON.stringify(finished));
      finished = claim.all(now + 30_000, now, (token += 1));
      for (const id of finished) JSON.parse(readPayload.get(id));
    }).immediate();
  } while (finished.length > 0);
});
db.close();
console.log(JSON.stringify({ enqueueMany, drain }));
