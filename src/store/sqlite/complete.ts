import type { Settled } from "../claims.js";
import type { Completion } from "../endings.js";
import type { SqliteContext } from "./context.js";
import { rowId } from "../rows.js";

type RunningRow = [
  id: number,
  token: number,
  queue: string,
  name: string,
  attempt: number,
  runAt: number,
  startedAt: number,
  flowId: number | null,
];

/** A completion whose claim is the current one. */
interface Accepted {
  readonly completion: Completion;
  readonly row: RunningRow;
}

/**
 * Ends claims with success: by far the most frequent end, so a batch costs two statements, whatever its
 * size. Statements for each job took twice as long.
 */
export class Complete {
  readonly #running;
  readonly #complete;
  readonly #insertResult;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    // Read and update apart: together, with RETURNING, they take no less, and the pairs of id and token
    // could not be compared before the write.
    this.#running = db
      .prepare<[string], RunningRow>(
        `SELECT id, token, queue, name, attempt, run_at, started_at, flow_id FROM jobs
         WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running'`,
      )
      .raw();
    // Guarded once more although the rows were read in the same transaction: whatever is changed above, a
    // stale claim cannot pass here. No two claims ever have the same token.
    this.#complete = db.prepare<[number, string, string]>(
      `UPDATE jobs SET state = 'completed', finished_at = ?, lease_until = 0
       WHERE id IN (SELECT value FROM json_each(?)) AND token IN (SELECT value FROM json_each(?))
         AND state = 'running'`,
    );
    this.#insertResult = db.prepare(
      `INSERT INTO job_results (job_id, result, problem) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET result = excluded.result, problem = excluded.problem`,
    );
  }

  /**
   * Runs inside a write transaction.
   *
   * @returns the answers to those whose claim is the current one; the others are left out
   */
  apply(completions: readonly Completion[]): Map<Completion, Settled> {
    const accepted = this.#accept(completions);
    if (accepted.length === 0) return new Map();
    const now = this.context.clock.now();
    const { changes } = this.#complete.run(
      now,
      JSON.stringify(accepted.map(({ row: [id] }) => id)),
      JSON.stringify(accepted.map(({ completion }) => completion.token)),
    );
    if (changes !== accepted.length) throw new Error("A claim was lost inside a transaction");
    this.context.step("settle:job");
    const answers = new Map<Completion, Settled>();
    for (const { completion, row } of accepted) {
      answers.set(completion, this.#completed(completion, row, now));
    }
    return answers;
  }

  #accept(completions: readonly Completion[]): Accepted[] {
    const ids = completions.map(({ id }) => rowId(id));
    const rows = new Map(this.#running.all(JSON.stringify(ids)).map((row) => [row[0], row]));
    const accepted: Accepted[] = [];
    for (const [index, completion] of completions.entries()) {
      const id = ids[index] ?? 0;
      const row = rows.get(id);
      if (row?.[1] !== completion.token) continue;
      accepted.push({ completion, row });
      // The same completion twice: the second one repeats the first.
      rows.delete(id);
    }
    return accepted;
  }

  #completed({ result, resultProblem }: Completion, row: RunningRow, now: number): Settled {
    const [id, , queue, name, attempt, runAt, startedAt, flowId] = row;
    if (result !== null || resultProblem !== null) {
      this.#insertResult.run(id, result, resultProblem);
      this.context.step("settle:result");
    }
    const lane = this.context.ledger.lane(queue, name);
    lane.moved(id, "complete", "running", "completed", attempt);
    if (flowId !== null) this.context.flows.book.ended(id, flowId, "completed");
    lane.count("completed");
    lane.duration("run", now - startedAt);
    return { ok: true, state: "completed", runAt };
  }
}
