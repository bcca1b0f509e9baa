import type { Instant } from "../../core/job.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import type { Remove } from "./remove.js";
import { Statement } from "./statement.js";

/** Flows whose making was broken off. */
export class UnmadeFlows {
  readonly #find;
  readonly #lock;
  readonly #jobs;
  readonly #remove;

  constructor(
    private readonly context: PostgresContext,
    private readonly removal: Remove,
  ) {
    const { s } = context;
    const unmade = `SELECT id FROM ${s}.flows WHERE stage = 'making' AND created_at < $1 ORDER BY id LIMIT 1`;
    this.#find = new Statement<[before: Instant], { id: number }>(unmade);
    // Another process that does the same takes another one.
    this.#lock = new Statement<[before: Instant], { id: number }>(`${unmade} FOR UPDATE SKIP LOCKED`);
    this.#jobs = new Statement<[flowId: number, limit: number], JobRow>(
      `SELECT * FROM ${s}.jobs WHERE flow_id = $1 ORDER BY id LIMIT $2 FOR UPDATE`,
    );
    this.#remove = new Statement<[id: number], never>(
      `DELETE FROM ${s}.flows WHERE id = $1 AND stage = 'making'`,
    );
  }

  /** @returns how many jobs were removed */
  async remove(olderThanMs: number, limit: number): Promise<number> {
    const before = this.context.clock.now() - olderThanMs;
    if ((await this.context.look((db) => this.#find.get(db, before))) === undefined) return 0;
    return this.context.write(async (tx) => {
      const flow = await this.#lock.get(tx, before);
      if (flow === undefined) return 0;
      const rows = await this.#jobs.all(tx, flow.id, limit);
      await this.removal.rows(tx, rows);
      if (rows.length < limit) await this.#remove.run(tx, flow.id);
      return rows.length;
    });
  }
}
