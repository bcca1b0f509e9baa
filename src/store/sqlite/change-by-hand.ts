import type { JobState, TransitionName } from "../../core/states.js";
import { outcomeOfCancel, outcomeOfDelete, outcomeOfRevive, outcomeOfRunNow } from "../change-by-hand.js";
import type { JobChange } from "../jobs.js";
import type { SqliteContext } from "./context.js";
import type { Remove } from "./remove.js";
import { rowId, toJob, type JobRow } from "../rows.js";

/** What people do to single jobs: cancel, retry, run now, delete. Each runs inside a write transaction. */
export class ChangeByHand {
  readonly #get;
  readonly #cancel;
  readonly #recordCancelled;
  readonly #revive;
  readonly #forgetReason;
  readonly #runNow;

  constructor(
    private readonly context: SqliteContext,
    private readonly remove: Remove,
  ) {
    const { db } = context;
    this.#get = db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
    this.#cancel = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'cancelled', finished_at = ?, lease_until = 0, waiting = 0 WHERE id = ?",
    );
    this.#recordCancelled = db.prepare<[number, number]>(
      `INSERT INTO attempts (job_id, token, number, worker_id, started_at, finished_at, outcome)
       SELECT id, token, attempt, coalesce(worker_id, ''), started_at, ?, 'cancelled' FROM jobs WHERE id = ?
       ON CONFLICT DO NOTHING`,
    );
    this.#revive = db.prepare<[JobState, number, number, number]>(
      `UPDATE jobs SET state = ?, waiting = ?, run_at = ?, finished_at = NULL, expires_at = NULL,
         max_attempts = attempt + (SELECT budget FROM job_specs WHERE job_id = jobs.id)
       WHERE id = ?`,
    );
    this.#forgetReason = db.prepare<[number]>("DELETE FROM cancellations WHERE job_id = ?");
    this.#runNow = db.prepare<[number, number]>("UPDATE jobs SET state = 'pending', run_at = ? WHERE id = ?");
  }

  cancel(id: string): JobChange {
    const row = this.#row(id);
    if (row === undefined) return { outcome: "missing" };
    const outcome = outcomeOfCancel(row.state);
    if (outcome !== "changed") return { outcome, job: toJob(row) };
    const now = this.context.clock.now();
    if (row.state === "running") this.#recordCancelled.run(now, row.id);
    this.#cancel.run(now, row.id);
    this.context.step("cancel:job");
    const lane = this.context.ledger.lane(row.queue, row.name);
    lane.count("cancelled");
    if (row.state === "running") lane.count("aborted");
    if (row.flow_id !== null) this.context.flows.book.ended(row.id, row.flow_id, "cancelled");
    return this.#changed(row, "cancel");
  }

  revive(id: string): JobChange {
    const row = this.#row(id);
    if (row === undefined) return { outcome: "missing" };
    const outcome = outcomeOfRevive(row.state);
    if (outcome !== "changed") return { outcome, job: toJob(row) };
    const waiting = this.context.flows.reopen(row);
    this.#revive.run(waiting > 0 ? "blocked" : "pending", waiting, this.context.clock.now(), row.id);
    this.context.step("revive:job");
    if (row.state === "cancelled") this.#forgetReason.run(row.id);
    if (waiting === 0) this.context.changes.pending(row.queue);
    return this.#changed(row, "revive");
  }

  runNow(id: string): JobChange {
    const row = this.#row(id);
    if (row === undefined) return { outcome: "missing" };
    const outcome = outcomeOfRunNow(row.state);
    if (outcome !== "changed") return { outcome, job: toJob(row) };
    this.#runNow.run(this.context.clock.now(), row.id);
    this.context.changes.pending(row.queue);
    return this.#changed(row, "run-now");
  }

  delete(id: string, force: boolean): JobChange {
    const row = this.#row(id);
    if (row === undefined) return { outcome: "missing" };
    const outcome = outcomeOfDelete(row.state, force);
    if (outcome !== "changed") return { outcome, job: toJob(row) };
    this.remove.rows([row]);
    this.context.sequences.take("job_note", 1);
    return { outcome, job: toJob(row) };
  }

  #row(id: string): JobRow | undefined {
    const key = rowId(id);
    return key === null ? undefined : this.#get.get(key);
  }

  #changed(before: JobRow, transition: TransitionName): JobChange {
    const row = this.#get.get(before.id);
    if (row === undefined) throw new Error(`Job ${before.id} vanished inside a transaction`);
    // One job cancelled and another revived leave the counts as they were.
    this.context.sequences.take("job_note", 1);
    this.context.ledger
      .lane(row.queue, row.name)
      .moved(row.id, transition, before.state, row.state, row.attempt);
    return { outcome: "changed", job: toJob(row) };
  }
}
