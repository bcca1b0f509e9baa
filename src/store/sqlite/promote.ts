import type { SqliteContext } from "./context.js";

/** Makes due scheduled jobs claimable. */
export class Promote {
  readonly #next;
  readonly #promote;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#next = db
      .prepare<[], number>("SELECT run_at FROM jobs WHERE state = 'scheduled' ORDER BY run_at LIMIT 1")
      .pluck();
    this.#promote = db.prepare<
      [number, number],
      { id: number; queue: string; name: string; attempt: number }
    >(
      `UPDATE jobs SET state = 'pending' WHERE id IN
         (SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= ? ORDER BY run_at, id LIMIT ?)
       RETURNING id, queue, name, attempt`,
    );
  }

  next(): number | null {
    return this.#next.get() ?? null;
  }

  /** Runs inside a write transaction. @returns how many jobs became pending */
  due(limit: number): number {
    const { clock, ledger, changes, step } = this.context;
    const rows = this.#promote.all(clock.now(), limit);
    step("promote:jobs");
    for (const { id, queue, name, attempt } of rows) {
      ledger.lane(queue, name).moved(id, "promote", "scheduled", "pending", attempt);
      changes.pending(queue);
    }
    return rows.length;
  }
}
