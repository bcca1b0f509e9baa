import type { Instant, Job } from "../../core/job.js";
import type { ExpiryStore } from "../expiry.js";
import { toJob, type JobRow } from "../rows.js";
import { CancelWaiting } from "./cancel-waiting.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";

/** As the index says it. */
const EXPIRING = "expires_at IS NOT NULL AND state IN ('blocked', 'scheduled', 'pending')";

export class PostgresExpiry implements ExpiryStore {
  readonly #cancel;
  readonly #next;
  readonly #due;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#cancel = new CancelWaiting(context);
    this.#next = new Statement<[], { expires_at: Instant }>(
      `SELECT expires_at FROM ${s}.jobs WHERE ${EXPIRING} ORDER BY expires_at LIMIT 1`,
    );
    // Passes over those that are claimed, or cancelled by another process, this very moment.
    this.#due = new Statement<[now: Instant, limit: number], JobRow>(
      `SELECT * FROM ${s}.jobs WHERE ${EXPIRING} AND expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    );
  }

  next(): Promise<Instant | null> {
    return this.context.look(async (db) => (await this.#next.get(db))?.expires_at ?? null);
  }

  async cancelDue(limit: number): Promise<readonly Job[]> {
    // A look without a lock: mostly there is nothing.
    const next = await this.next();
    if (next === null || next > this.context.clock.now()) return [];
    return this.context.write(async (tx) => {
      const rows = await this.#due.all(tx, tx.now, limit);
      await this.#cancel.expire(tx, rows);
      return rows.map((row) => ({ ...toJob(row), state: "cancelled", finishedAt: tx.now }));
    });
  }
}
