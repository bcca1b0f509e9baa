import type { Settled, Settlement } from "../claims.js";
import type { SqliteContext } from "./context.js";
import { rowId } from "./rows.js";

type CompletedRow = [queue: string, name: string, runAt: number, startedAt: number];

/** Ends claims with success: by far the most frequent end, so it reads and writes the job in one statement. */
export class Complete {
  readonly #complete;
  readonly #insertResult;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#complete = db
      .prepare<[number, number, number], CompletedRow>(
        `UPDATE jobs SET state = 'completed', finished_at = ?, lease_until = 0
         WHERE id = ? AND token = ? AND state = 'running'
         RETURNING queue, name, run_at, started_at`,
      )
      .raw();
    this.#insertResult = db.prepare(
      `INSERT INTO job_results (job_id, result, problem) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET result = excluded.result, problem = excluded.problem`,
    );
  }

  /** Runs inside a write transaction. `null` when the claim is not the current one. */
  apply({ id, token, result, resultProblem }: Extract<Settlement, { verb: "complete" }>): Settled | null {
    const now = this.context.clock.now();
    const key = rowId(id);
    const row = key === null ? undefined : this.#complete.get(now, key, token);
    if (row === undefined) return null;
    const [queue, name, runAt, startedAt] = row;
    this.context.step("settle:job");
    if (result !== null || resultProblem !== null) {
      this.#insertResult.run(key, result, resultProblem);
      this.context.step("settle:result");
    }
    const lane = this.context.ledger.lane(queue, name);
    lane.moved("complete", "running", "completed");
    lane.count("completed");
    lane.duration("run", now - startedAt);
    return { ok: true, state: "completed", runAt };
  }
}
