import { TABLES_OF_A_JOB, type RemovedRow } from "../removal.js";
import type { SqliteContext } from "./context.js";

/** Removes jobs with all that belongs to them. */
export class Remove {
  readonly #statements;
  readonly #job;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    // Tags and keys are found through the spec, so they go before it.
    this.#statements = [
      `DELETE FROM job_tags WHERE (tag, job_id) IN
         (SELECT tag.value, job_id FROM job_specs, json_each(tags) AS tag
          WHERE job_id IN (SELECT value FROM json_each(?)))`,
      // Keys may belong to a newer job by now.
      `DELETE FROM idempotency_keys WHERE (key, job_id) IN
         (SELECT idempotency_key, job_id FROM job_specs WHERE job_id IN (SELECT value FROM json_each(?)))`,
      `DELETE FROM unique_keys WHERE (key, job_id) IN
         (SELECT unique_key, job_id FROM job_specs WHERE job_id IN (SELECT value FROM json_each(?)))`,
      `DELETE FROM flow_jobs WHERE (flow_id, ref) IN
         (SELECT flow_id, flow_ref FROM jobs JOIN job_specs ON job_id = jobs.id
          WHERE jobs.id IN (SELECT value FROM json_each(?)) AND flow_id IS NOT NULL)`,
      // What depends on them is told before it goes.
      "DELETE FROM dependencies WHERE job_id IN (SELECT value FROM json_each(?))",
      "DELETE FROM dependencies WHERE on_id IN (SELECT value FROM json_each(?)) AND resolved = 1",
      ...TABLES_OF_A_JOB.map(
        (table) => `DELETE FROM ${table} WHERE job_id IN (SELECT value FROM json_each(?))`,
      ),
    ].map((sql) => db.prepare<[string]>(sql));
    this.#job = db.prepare<[string]>("DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?))");
  }

  /** Runs inside a write transaction. */
  rows(rows: readonly RemovedRow[]): void {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    for (const statement of this.#statements) statement.run(ids);
    this.context.step("delete:rows");
    this.#job.run(ids);
    this.context.step("delete:job");
    for (const { id, queue, name, state, attempt, flow_id: flowId } of rows) {
      if (flowId !== null) this.context.flows.book.removed(id, flowId, state);
      const lane = this.context.ledger.lane(queue, name);
      lane.deleted(id, state, attempt);
      if (state === "running") lane.count("aborted");
    }
  }
}
