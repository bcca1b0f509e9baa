import type { Instant, Job } from "../../core/job.js";
import type { ExpiryStore } from "../expiry.js";
import { toJob, type JobRow } from "../rows.js";
import { CancelWaiting } from "./cancel-waiting.js";
import type { SqliteContext } from "./context.js";

/** As the index says it. */
const EXPIRING = "expires_at IS NOT NULL AND (state = 'pending' OR state = 'scheduled' OR state = 'blocked')";

export class SqliteExpiry implements ExpiryStore {
  readonly #cancel;
  readonly #next;
  readonly #due;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#cancel = new CancelWaiting(context);
    this.#next = db
      .prepare<[], number>(`SELECT expires_at FROM jobs WHERE ${EXPIRING} ORDER BY expires_at LIMIT 1`)
      .pluck();
    this.#due = db.prepare<[number, number], JobRow>(
      `SELECT * FROM jobs WHERE ${EXPIRING} AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
    );
  }

  next(): Promise<Instant | null> {
    return this.context.read(() => this.#next.get() ?? null);
  }

  async cancelDue(limit: number): Promise<readonly Job[]> {
    // A look without a lock: mostly there is nothing.
    const next = await this.next();
    if (next === null || next > this.context.clock.now()) return [];
    return this.context.write(() => {
      const now = this.context.clock.now();
      const rows = this.#due.all(now, limit);
      for (const row of rows) this.#cancel.expire(row, now);
      return rows.map((row) => ({ ...toJob(row), state: "cancelled", finishedAt: now }));
    });
  }
}
