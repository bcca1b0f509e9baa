import type { Instant } from "../../core/job.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** Makes due scheduled jobs claimable. */
export class Promote {
  readonly #next;
  readonly #promote;

  constructor({ s }: PostgresContext) {
    this.#next = new Statement<[], { run_at: Instant }>(
      `SELECT run_at FROM ${s}.jobs WHERE state = 'scheduled' ORDER BY run_at LIMIT 1`,
    );
    // Passes over those that another process promotes, or that somebody cancels, this very moment.
    this.#promote = new Statement<
      [now: Instant, limit: number],
      { id: number; queue: string; name: string; attempt: number }
    >(
      `WITH due AS MATERIALIZED (
         SELECT id FROM ${s}.jobs WHERE state = 'scheduled' AND run_at <= $1
         ORDER BY run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       UPDATE ${s}.jobs SET state = 'pending' FROM due WHERE jobs.id = due.id AND state = 'scheduled'
       RETURNING jobs.id, queue, name, attempt`,
    );
  }

  async next(db: Queryable): Promise<Instant | null> {
    return (await this.#next.get(db))?.run_at ?? null;
  }

  /** @returns how many jobs became pending */
  async due(tx: Transaction, limit: number): Promise<number> {
    const rows = await this.#promote.all(tx, tx.now, limit);
    for (const { id, queue, name, attempt } of rows) {
      tx.ledger.lane(queue, name).moved(id, "promote", "scheduled", "pending", attempt);
      tx.changes.pending(queue);
    }
    return rows.length;
  }
}
