import type { TransitionName } from "../../core/states.js";
import { expiryOf, stateAt } from "../admission.js";
import type { NewJob } from "../jobs.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";

/** Gives jobs that wait another definition or time. Every method runs inside a write transaction. */
export class Redefine {
  readonly #job;
  readonly #spec;
  readonly #dropTags;
  readonly #insertTag;
  readonly #time;
  readonly #forgetSteps;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    // A fresh budget, as if it had come just now; attempts that were made stay counted.
    this.#job = db.prepare<[string, number, number, number, number | null, string | null, number], JobRow>(
      `UPDATE jobs SET state = ?, priority = ?, max_attempts = attempt + ?, run_at = ?, expires_at = ?, keys = ?
       WHERE id = ? RETURNING *`,
    );
    this.#spec = db.prepare(
      `UPDATE job_specs SET payload = ?, budget = ?, timeout_ms = ?, backoff = ?, tags = ?, schedule_key = ?, slot = ?,
         traceparent = ?, tracestate = ?
       WHERE job_id = ?`,
    );
    this.#dropTags = db.prepare<[number]>(
      `DELETE FROM job_tags WHERE (tag, job_id) IN
         (SELECT tag.value, job_id FROM job_specs, json_each(tags) AS tag WHERE job_id = ?)`,
    );
    this.#insertTag = db.prepare("INSERT INTO job_tags (tag, job_id) VALUES (?, ?) ON CONFLICT DO NOTHING");
    this.#time = db.prepare<[string, number, number | null, number], JobRow>(
      "UPDATE jobs SET state = ?, run_at = ?, expires_at = ? WHERE id = ? RETURNING *",
    );
    this.#forgetSteps = db.prepare<[number]>("DELETE FROM job_steps WHERE job_id = ?");
  }

  /** @returns the job as it is now */
  replace(before: JobRow, job: NewJob, runAt: number, now: number): JobRow {
    const { id } = before;
    const state = before.state === "blocked" ? "blocked" : stateAt(runAt, now);
    // Once it has started, it does not expire.
    const expiresAt = before.token === 0 ? expiryOf(job, now) : null;
    const row = this.#job.get(state, job.priority, job.maxAttempts, runAt, expiresAt, job.keys, id);
    this.context.step("enqueue:replace");
    // They were done for another payload.
    this.#forgetSteps.run(id);
    this.#dropTags.run(id);
    this.#spec.run(
      job.payload,
      job.maxAttempts,
      job.timeoutMs,
      job.backoff === null ? null : JSON.stringify(job.backoff),
      job.tags.length === 0 ? null : JSON.stringify(job.tags),
      job.schedule?.key ?? null,
      job.schedule?.slot ?? null,
      job.trace?.traceparent ?? null,
      job.trace?.tracestate ?? null,
      id,
    );
    for (const tag of job.tags) this.#insertTag.run(tag, id);
    return this.#changed(before, row, "replace");
  }

  /** @returns the job as it is now */
  reschedule(before: JobRow, runAt: number, expiresAt: number | null, now: number): JobRow {
    const until = before.token === 0 ? expiresAt : null;
    return this.#changed(before, this.#time.get(stateAt(runAt, now), runAt, until, before.id), "reschedule");
  }

  #changed(before: JobRow, row: JobRow | undefined, transition: TransitionName): JobRow {
    if (row === undefined) throw new Error(`Job ${before.id} vanished inside a transaction`);
    const { ledger, sequences, changes } = this.context;
    // One that is blocked stays so.
    if (row.state !== "blocked") {
      ledger.lane(row.queue, row.name).moved(row.id, transition, before.state, row.state, row.attempt);
    }
    sequences.take("job_note", 1);
    if (row.state === "pending") changes.pending(row.queue);
    if (row.state === "scheduled") changes.scheduled();
    return row;
  }
}
