import type { Settled, Settlement } from "../claims.js";
import type { SqliteContext } from "./context.js";
import { rowId } from "./rows.js";

type RunningRow = [queue: string, name: string, runAt: number, startedAt: number];

/** Ends claims with success: by far the most frequent end, so it does only what it must. */
export class Complete {
  readonly #running;
  readonly #complete;
  readonly #insertResult;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    // Read and update apart: together, with RETURNING, they take longer than one after the other.
    this.#running = db
      .prepare<[number, number], RunningRow>(
        `SELECT queue, name, run_at, started_at FROM jobs WHERE id = ? AND token = ? AND state = 'running'`,
      )
      .raw();
    this.#complete = db.prepare<[number, number, number]>(
      `UPDATE jobs SET state = 'completed', finished_at = ?, lease_until = 0
       WHERE id = ? AND token = ? AND state = 'running'`,
    );
    this.#insertResult = db.prepare(
      `INSERT INTO job_results (job_id, result, problem) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET result = excluded.result, problem = excluded.problem`,
    );
  }

  /** Runs inside a write transaction. `null` when the claim is not the current one. */
  apply({ id, token, result, resultProblem }: Extract<Settlement, { verb: "complete" }>): Settled | null {
    const key = rowId(id);
    const row = key === null ? undefined : this.#running.get(key, token);
    if (key === null || row === undefined) return null;
    const [queue, name, runAt, startedAt] = row;
    const now = this.context.clock.now();
    const { changes } = this.#complete.run(now, key, token);
    if (changes !== 1) throw new Error(`The claim of job ${id} was lost inside a transaction`);
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
