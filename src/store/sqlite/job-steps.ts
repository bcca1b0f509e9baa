import type { LeaseLossReason } from "../../core/errors.js";
import type { Instant, JobStep } from "../../core/job.js";
import type { FoundStep } from "../../core/steps.js";
import type { ClaimKey } from "../claims.js";
import { requireRoom, type StepStore } from "../job-steps.js";
import { rowId } from "../rows.js";
import type { SqliteContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";

export class SqliteSteps implements StepStore {
  readonly #current;
  readonly #find;
  readonly #last;
  readonly #insert;
  readonly #list;
  readonly #result;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#current = new CurrentClaim(db);
    this.#find = db.prepare<[id: number, name: string], { result: string | null }>(
      "SELECT result FROM job_steps WHERE job_id = ? AND name = ?",
    );
    this.#last = db
      .prepare<[id: number], number>("SELECT coalesce(max(seq), 0) FROM job_steps WHERE job_id = ?")
      .pluck();
    this.#insert = db.prepare<
      [id: number, seq: number, name: string, attempt: number, at: Instant, result: string | null]
    >("INSERT INTO job_steps (job_id, seq, name, attempt, at, result) VALUES (?, ?, ?, ?, ?, ?)");
    this.#list = db.prepare<[id: number], JobStep>(
      `SELECT seq, name, attempt, at, octet_length(result) AS resultBytes FROM job_steps
       WHERE job_id = ? ORDER BY seq`,
    );
    this.#result = db
      .prepare<[id: number, seq: number], string | null>(
        "SELECT result FROM job_steps WHERE job_id = ? AND seq = ?",
      )
      .pluck();
  }

  find(key: ClaimKey, name: string): Promise<FoundStep | LeaseLossReason> {
    return this.context.read(() => {
      const row = this.#current.find(key);
      if (typeof row === "string") return row;
      const step = this.#find.get(row.id, name);
      if (step !== undefined) return { found: true, result: step.result };
      requireRoom(this.#steps(row.id));
      return { found: false };
    });
  }

  store(key: ClaimKey, name: string, result: string | null): Promise<LeaseLossReason | null> {
    return this.context.write(() => {
      const row = this.#current.find(key);
      if (typeof row === "string") return row;
      if (this.#find.get(row.id, name) !== undefined) return null;
      const steps = this.#steps(row.id);
      requireRoom(steps);
      this.#insert.run(row.id, steps + 1, name, row.attempt, this.context.clock.now(), result);
      this.context.step("step:store");
      this.context.sequences.take("job_note", 1);
      return null;
    });
  }

  list(id: string): Promise<readonly JobStep[]> {
    return this.context.read(() => this.#list.all(rowId(id) ?? 0));
  }

  result(id: string, seq: number): Promise<string | null> {
    return this.context.read(() => this.#result.get(rowId(id) ?? 0, seq) ?? null);
  }

  /** They are numbered without gaps, and none is removed by itself. */
  #steps(id: number): number {
    return this.#last.get(id) ?? 0;
  }
}
