import { isFinished, type JobState } from "../../core/states.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { lockFlow } from "./make-flow.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface Awaited {
  readonly id: number;
  readonly state: JobState;
}

/** Lets a running job wait for others of its flow. */
export class WaitForJobs {
  readonly #lockFlow;
  readonly #find;
  readonly #depend;
  readonly #waits;
  readonly #behind;
  readonly #count;

  constructor({ s }: PostgresContext) {
    // Two jobs that begin to wait for each other at the same time would both see no cycle.
    this.#lockFlow = new Statement<[flowId: number], never>(lockFlow(s));
    // None of them ends unseen until this transaction does.
    this.#find = new Statement<[flowId: number, refs: readonly string[]], Awaited>(
      `SELECT id, state FROM ${s}.jobs WHERE id = ANY(ARRAY(
         SELECT job_id FROM ${s}.flow_jobs WHERE flow_id = $1 AND ref = ANY($2::text[])
       )) ORDER BY id FOR SHARE`,
    );
    // The handler sees how each has ended, so it runs whatever that is.
    this.#depend = new Statement<[jobId: number, onIds: readonly number[]], never>(
      `INSERT INTO ${s}.dependencies (on_id, job_id, on_failure) SELECT on_id, $1::bigint, 'run' FROM unnest($2::bigint[]) AS on_id
       ON CONFLICT (on_id, job_id) DO UPDATE SET on_failure = 'run', resolved = false`,
    );
    this.#waits = new Statement<[waiting: number, id: number], never>(
      `UPDATE ${s}.jobs SET waiting = $1 WHERE id = $2`,
    );
    // Everything that these wait for, directly and indirectly.
    this.#behind = new Statement<[ids: readonly number[], id: number], { found: number }>(
      `WITH RECURSIVE behind (id) AS (
         SELECT * FROM unnest($1::bigint[])
         UNION SELECT dependency.on_id FROM behind CROSS JOIN LATERAL (
           SELECT on_id FROM ${s}.dependencies WHERE job_id = behind.id AND NOT resolved OFFSET 0
         ) AS dependency
       ) SELECT 1 AS found FROM behind WHERE id = $2 LIMIT 1`,
    );
    this.#count = new Statement<[id: number], { n: number }>(
      `SELECT count(*) AS n FROM ${s}.dependencies WHERE job_id = $1 AND NOT resolved`,
    );
  }

  /** @returns how many it waits for, those among them that have ended already and will say so at the commit */
  async begin(tx: Transaction, row: JobRow, refs: readonly string[]): Promise<number | "cycle"> {
    if (row.flow_id === null) return 0;
    await this.#lockFlow.run(tx, row.flow_id);
    const awaited = await this.#find.all(tx, row.flow_id, refs);
    const unfinished = awaited.filter(({ state }) => !isFinished(state)).map(({ id }) => id);
    if ((await this.#behind.get(tx, unfinished, row.id)) !== undefined) return "cycle";
    await this.#depend.run(
      tx,
      row.id,
      awaited.map(({ id }) => id),
    );
    for (const { id, state } of awaited) tx.flows.book.tellAgain(id, state);
    const waiting = (await this.#count.get(tx, row.id))?.n ?? 0;
    await this.#waits.run(tx, waiting, row.id);
    return waiting;
  }
}
