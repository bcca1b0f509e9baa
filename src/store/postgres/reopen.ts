import { isFinished } from "../../core/states.js";
import { rowId, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface WaitingRow {
  readonly id: number;
  readonly waiting: number;
}

/**
 * Lets jobs of flows that had ended go on. They wait for those that have not ended; the others they do without, however
 * they ended.
 */
export class Reopen {
  readonly #lockOthers;
  readonly #waitAgain;
  readonly #stillWait;
  readonly #block;

  constructor({ s }: PostgresContext) {
    // Before the jobs themselves, as who ends one of them does it, and in one order for all.
    this.#lockOthers = new Statement<[ids: readonly number[]], never>(
      `SELECT 1 FROM ${s}.jobs WHERE id = ANY(ARRAY(SELECT on_id FROM ${s}.dependencies WHERE job_id = ANY($1::bigint[])))
       ORDER BY id FOR SHARE`,
    );
    // Of those that go on together the ones with lower ids count as going on already, as if one came after the other.
    this.#waitAgain = new Statement<[ids: readonly number[]], never>(
      `UPDATE ${s}.dependencies SET resolved = coalesce(
         (SELECT state IN ('completed', 'dead', 'cancelled') AND NOT (on_id = ANY($1) AND on_id < job_id)
          FROM ${s}.jobs WHERE id = on_id), true
       ) WHERE job_id = ANY($1::bigint[])`,
    );
    // A flow that is not open holds its jobs besides.
    this.#stillWait = new Statement<[ids: readonly number[], flowIds: readonly number[]], WaitingRow>(
      `SELECT id, waiting FROM (
         SELECT id,
           (SELECT count(*) FROM ${s}.dependencies WHERE job_id = id AND NOT resolved) +
           (SELECT CASE WHEN stage <> 'open' AND opened_to < reopened.id THEN 1 ELSE 0 END
            FROM ${s}.flows WHERE flows.id = flow_id) AS waiting
         FROM unnest($1::bigint[], $2::bigint[]) AS reopened (id, flow_id)
       ) AS each WHERE waiting > 0`,
    );
    this.#block = new Statement<[ids: readonly number[], waiting: readonly number[]], JobRow>(
      `UPDATE ${s}.jobs SET state = 'blocked', waiting = again.waiting
       FROM unnest($1::bigint[], $2::int[]) AS again (id, waiting)
       WHERE jobs.id = ANY($1) AND jobs.id = again.id RETURNING jobs.*`,
    );
  }

  /** Keeps what the jobs depend on from ending until this transaction does. */
  async lockOthers(tx: Transaction, ids: readonly string[]): Promise<void> {
    await this.#lockOthers.run(
      tx,
      ids.map(rowId).filter((id) => id !== null),
    );
  }

  /** @returns how many each of them waits for, without those that wait for nothing */
  async jobs(tx: Transaction, rows: readonly JobRow[]): Promise<ReadonlyMap<number, number>> {
    const inFlows = rows.flatMap(({ id, flow_id: flowId, state }) =>
      flowId !== null && isFinished(state) ? [{ id, flowId, state }] : [],
    );
    if (inFlows.length === 0) return new Map();
    for (const { flowId, state } of inFlows) tx.flows.book.reopened(flowId, state);
    const ids = inFlows.map(({ id }) => id);
    await this.#waitAgain.run(tx, ids);
    const waiting = await this.#stillWait.all(
      tx,
      ids,
      inFlows.map(({ flowId }) => flowId),
    );
    return new Map(waiting.map((row) => [row.id, row.waiting]));
  }

  /** Makes them wait. @returns what they are then */
  async block(tx: Transaction, waiting: ReadonlyMap<number, number>): Promise<readonly JobRow[]> {
    return waiting.size === 0 ? [] : this.#block.all(tx, [...waiting.keys()], [...waiting.values()]);
  }
}
