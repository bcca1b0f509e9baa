import type { CancellationReason } from "../../core/job.js";
import type { TransitionName } from "../../core/states.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";

type WaitingRow = Pick<JobRow, "id" | "queue" | "name" | "state" | "attempt" | "flow_id">;

/** Cancels jobs that wait, and keeps why. Every method runs inside a write transaction. */
export class CancelWaiting {
  readonly #cancel;
  readonly #unclaim;
  readonly #keepReason;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#cancel = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'cancelled', finished_at = ?, waiting = 0 WHERE id = ?",
    );
    this.#unclaim = db.prepare<[number, number]>(
      `UPDATE jobs SET state = 'cancelled', finished_at = ?, attempt = attempt - 1, token = 0, worker_id = NULL,
         started_at = NULL, lease_until = 0
       WHERE id = ?`,
    );
    this.#keepReason = db.prepare<[number, CancellationReason]>(
      `INSERT INTO cancellations (job_id, reason) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET reason = excluded.reason, about = excluded.about`,
    );
  }

  expire(row: WaitingRow, now: number): void {
    this.#cancel.run(now, row.id);
    this.#cancelled(row, "expire", "expired");
  }

  /** A job that the statement of a claim has taken, and that nobody gets. @param row as it was before */
  expireClaimed(row: WaitingRow, now: number): void {
    this.#unclaim.run(now, row.id);
    this.#cancelled(row, "expire", "expired");
  }

  drop(row: WaitingRow, now: number): void {
    this.#cancel.run(now, row.id);
    this.#cancelled(row, "drop", "queue_full");
  }

  #cancelled(
    { id, queue, name, state, attempt, flow_id: flowId }: WaitingRow,
    transition: TransitionName,
    reason: CancellationReason,
  ): void {
    const { ledger, flows, sequences, step } = this.context;
    step("cancel:job");
    this.#keepReason.run(id, reason);
    step("cancel:reason");
    const lane = ledger.lane(queue, name);
    lane.moved(id, transition, state, "cancelled", attempt);
    lane.count("cancelled");
    if (flowId !== null) flows.book.ended(id, flowId, "cancelled");
    sequences.take("job_note", 1);
  }
}
