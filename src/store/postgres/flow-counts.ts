import type { Instant } from "../../core/job.js";
import type { FlowChange } from "../flow-book.js";
import { finishFlow, type FlowRow } from "../flow-rows.js";
import type { Queryable } from "./connection.js";
import { Statement } from "./statement.js";

/** Keeps the counts of flows, and what follows from them. */
export class FlowCounts {
  readonly #lock;
  readonly #count;
  readonly #finish;
  readonly #removeEmpty;

  constructor(s: string) {
    this.#lock = new Statement<[ids: readonly number[]], never>(
      `SELECT 1 FROM ${s}.flows WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
    );
    this.#count = new Statement<
      [
        ids: readonly number[],
        jobs: readonly number[],
        completed: readonly number[],
        dead: readonly number[],
        cancelled: readonly number[],
      ],
      Pick<FlowRow, "id" | "jobs">
    >(
      `UPDATE ${s}.flows SET jobs = flows.jobs + change.jobs, completed = flows.completed + change.completed,
         dead = flows.dead + change.dead, cancelled = flows.cancelled + change.cancelled
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[])
         AS change (id, jobs, completed, dead, cancelled)
       WHERE flows.id = ANY($1) AND flows.id = change.id RETURNING flows.id, flows.jobs`,
    );
    this.#finish = new Statement<[ids: readonly number[], now: Instant], never>(
      `UPDATE ${s}.flows SET ${finishFlow("$2::bigint")} WHERE id = ANY($1::bigint[])`,
    );
    this.#removeEmpty = new Statement<[ids: readonly number[]], never>(
      `DELETE FROM ${s}.flows WHERE id = ANY($1::bigint[]) AND jobs = 0 AND stage <> 'making'`,
    );
  }

  /** @param changes in the order of the ids */
  async write(
    tx: Queryable,
    changes: readonly (readonly [flowId: number, change: Readonly<FlowChange>])[],
    now: Instant,
  ): Promise<void> {
    if (changes.length === 0) return;
    const ids = changes.map(([id]) => id);
    if (ids.length > 1) await this.#lock.run(tx, ids);
    const counted = await this.#count.all(
      tx,
      ids,
      changes.map(([, { jobs }]) => jobs),
      changes.map(([, { completed }]) => completed),
      changes.map(([, { dead }]) => dead),
      changes.map(([, { cancelled }]) => cancelled),
    );
    await this.#finish.run(tx, ids, now);
    if (counted.some(({ jobs }) => jobs === 0)) await this.#removeEmpty.run(tx, ids);
  }
}
