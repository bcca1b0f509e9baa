import type { CancellationReason } from "../../core/job.js";
import type { Instant } from "../../core/job.js";
import type { TransitionName } from "../../core/states.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

export type WaitingRow = Pick<JobRow, "id" | "queue" | "name" | "state" | "attempt" | "flow_id">;

type Cancel = Statement<[ids: readonly number[], now: Instant], never>;

/** Cancels jobs that wait, and keeps why. Their rows are locked by the transaction. */
export class CancelWaiting {
  readonly #cancel: Cancel;
  readonly #unclaim: Cancel;
  readonly #keepReasons;

  constructor({ s }: PostgresContext) {
    const cancel = (more: string): Cancel =>
      new Statement(
        `UPDATE ${s}.jobs SET state = 'cancelled', finished_at = $2, waiting = 0${more} WHERE id = ANY($1::bigint[])`,
      );
    this.#cancel = cancel("");
    this.#unclaim = cancel(
      ", attempt = attempt - 1, token = 0, worker_id = NULL, started_at = NULL, lease_until = 0",
    );
    this.#keepReasons = new Statement<[ids: readonly number[], reason: CancellationReason], never>(
      `INSERT INTO ${s}.cancellations (job_id, reason) SELECT id, $2 FROM unnest($1::bigint[]) AS gone (id)
       ON CONFLICT (job_id) DO UPDATE SET reason = excluded.reason, about = excluded.about`,
    );
  }

  expire(tx: Transaction, rows: readonly WaitingRow[]): Promise<void> {
    return this.#run(tx, rows, this.#cancel, "expire", "expired");
  }

  /** Jobs that the statement of a claim has taken, and that nobody gets. @param rows as they were before */
  expireClaimed(tx: Transaction, rows: readonly WaitingRow[]): Promise<void> {
    return this.#run(tx, rows, this.#unclaim, "expire", "expired");
  }

  drop(tx: Transaction, rows: readonly WaitingRow[]): Promise<void> {
    return this.#run(tx, rows, this.#cancel, "drop", "queue_full");
  }

  async #run(
    tx: Transaction,
    rows: readonly WaitingRow[],
    cancel: Cancel,
    transition: TransitionName,
    reason: CancellationReason,
  ): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await cancel.run(tx, ids, tx.now);
    await this.#keepReasons.run(tx, ids, reason);
    for (const { id, queue, name, state, attempt, flow_id: flowId } of rows) {
      const lane = tx.ledger.lane(queue, name);
      lane.moved(id, transition, state, "cancelled", attempt);
      lane.count("cancelled");
      if (flowId !== null) tx.flows.book.ended(id, flowId, "cancelled");
      tx.ledger.note(queue, name);
    }
  }
}
