import type { Instant } from "../../core/job.js";
import type { TransitionName } from "../../core/states.js";
import { expiryOf, stateAt } from "../admission.js";
import type { NewJob } from "../jobs.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { laneOf, type PendingLane } from "./lane-floors.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** Sees to it that claims find a job in its lane, in a transaction of the caller's. `null`: it is done here. */
export type PrepareLanes = ((tx: Transaction, lanes: readonly PendingLane[]) => Promise<void>) | null;

/** Gives jobs that wait another definition or time. Their rows are locked by the transaction. */
export class Redefine {
  readonly #addLane;
  readonly #job;
  readonly #spec;
  readonly #dropTags;
  readonly #insertTags;
  readonly #time;
  readonly #forgetSteps;

  constructor(
    { s }: PostgresContext,
    private readonly prepare: PrepareLanes,
  ) {
    this.#addLane = new Statement<[queue: string, name: string, priority: number], never>(
      `INSERT INTO ${s}.lanes (queue, name, priority) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    );
    // A fresh budget, as if it had come just now; attempts that were made stay counted.
    this.#job = new Statement<
      [
        id: number,
        state: string,
        priority: number,
        budget: number,
        runAt: Instant,
        expiresAt: Instant | null,
        payloadBytes: number,
        keys: string | null,
      ],
      JobRow
    >(
      `UPDATE ${s}.jobs SET state = $2, priority = $3, max_attempts = attempt + $4, run_at = $5, expires_at = $6,
         payload_bytes = $7, keys = $8
       WHERE id = $1 RETURNING *`,
    );
    this.#spec = new Statement<unknown[], never>(
      `UPDATE ${s}.job_specs SET payload = $2, budget = $3, timeout_ms = $4, backoff = $5, tags = $6,
         schedule_key = $7, slot = $8, traceparent = $9, tracestate = $10
       WHERE job_id = $1`,
    );
    this.#dropTags = new Statement<[id: number], never>(
      `DELETE FROM ${s}.job_tags WHERE job_id = $1 AND tag = ANY(ARRAY(
         SELECT json_array_elements_text(tags::json) FROM ${s}.job_specs WHERE job_id = $1 AND tags IS NOT NULL))`,
    );
    this.#insertTags = new Statement<[id: number, tags: readonly string[]], never>(
      `INSERT INTO ${s}.job_tags (tag, job_id) SELECT tag, $1 FROM unnest($2::text[]) AS given (tag)
       ON CONFLICT DO NOTHING`,
    );
    this.#time = new Statement<
      [id: number, state: string, runAt: Instant, expiresAt: Instant | null],
      JobRow
    >(`UPDATE ${s}.jobs SET state = $2, run_at = $3, expires_at = $4 WHERE id = $1 RETURNING *`);
    this.#forgetSteps = new Statement<[id: number], never>(`DELETE FROM ${s}.job_steps WHERE job_id = $1`);
  }

  /** @returns the job as it is now */
  async replace(tx: Transaction, before: JobRow, job: NewJob, runAt: Instant): Promise<JobRow> {
    const { id } = before;
    const state = before.state === "blocked" ? "blocked" : stateAt(runAt, tx.now);
    // Once it has started, it does not expire.
    const expiresAt = before.token === 0 ? expiryOf(job, tx.now) : null;
    if (this.prepare === null) await this.#addLane.run(tx, before.queue, before.name, laneOf(job).priority);
    const row = await this.#job.get(
      tx,
      id,
      state,
      job.priority,
      job.maxAttempts,
      runAt,
      expiresAt,
      Buffer.byteLength(job.payload),
      job.keys,
    );
    // They were done for another payload.
    await this.#forgetSteps.run(tx, id);
    await this.#dropTags.run(tx, id);
    await this.#spec.run(
      tx,
      id,
      job.payload,
      job.maxAttempts,
      job.timeoutMs,
      job.backoff === null ? null : JSON.stringify(job.backoff),
      job.tags.length === 0 ? null : JSON.stringify(job.tags),
      job.schedule?.key ?? null,
      job.schedule?.slot ?? null,
      job.trace?.traceparent ?? null,
      job.trace?.tracestate ?? null,
    );
    if (job.tags.length > 0) await this.#insertTags.run(tx, id, job.tags);
    return this.#changed(tx, before, row, "replace");
  }

  /** @returns the job as it is now */
  async reschedule(
    tx: Transaction,
    before: JobRow,
    runAt: Instant,
    expiresAt: Instant | null,
  ): Promise<JobRow> {
    const until = before.token === 0 ? expiresAt : null;
    const row = await this.#time.get(tx, before.id, stateAt(runAt, tx.now), runAt, until);
    return this.#changed(tx, before, row, "reschedule");
  }

  async #changed(
    tx: Transaction,
    before: JobRow,
    row: JobRow | undefined,
    transition: TransitionName,
  ): Promise<JobRow> {
    if (row === undefined) throw new Error(`Job ${String(before.id)} vanished inside a transaction`);
    // One that is blocked stays so.
    if (row.state !== "blocked") {
      tx.ledger.lane(row.queue, row.name).moved(row.id, transition, before.state, row.state, row.attempt);
    }
    tx.ledger.note(row.queue, row.name);
    if (row.state === "pending") {
      await this.prepare?.(tx, [{ ...laneOf(row), runAt: row.run_at }]);
      tx.madePending(row, row.run_at);
    }
    if (row.state === "scheduled") tx.changes.scheduled();
    return row;
  }
}
