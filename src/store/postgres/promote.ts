import type { Instant } from "../../core/job.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import type { LanedJob } from "./lane-floors.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** Makes due scheduled jobs claimable. */
export class Promote {
  readonly #next;
  readonly #promote;

  constructor({ s }: PostgresContext) {
    this.#next = new Statement<[from: Instant], { run_at: Instant }>(
      `SELECT run_at FROM ${s}.jobs WHERE state = 'scheduled' AND run_at >= $1 ORDER BY run_at LIMIT 1`,
    );
    // Passes over those that another process promotes, or that somebody cancels, this very moment.
    this.#promote = new Statement<
      [from: Instant, now: Instant, limit: number],
      LanedJob & { readonly id: number; readonly attempt: number; readonly run_at: Instant }
    >(
      `WITH due AS MATERIALIZED (
         SELECT id FROM ${s}.jobs WHERE state = 'scheduled' AND run_at BETWEEN $1 AND $2
         ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
       )
       UPDATE ${s}.jobs SET state = 'pending' FROM due WHERE jobs.id = due.id
       RETURNING jobs.id, queue, name, priority, keys, attempt, run_at`,
    );
  }

  async next(db: Queryable, from: Instant): Promise<Instant | null> {
    return (await this.#next.get(db, from))?.run_at ?? null;
  }

  /**
   * @param from when the first one is due
   * @returns how many jobs became pending
   */
  async due(tx: Transaction, from: Instant, limit: number): Promise<number> {
    const rows = await this.#promote.all(tx, from, tx.now, limit);
    for (const row of rows) {
      tx.ledger.lane(row.queue, row.name).moved(row.id, "promote", "scheduled", "pending", row.attempt);
      tx.madePending(row, row.run_at);
    }
    return rows.length;
  }
}
