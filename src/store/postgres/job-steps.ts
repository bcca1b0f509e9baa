import type { LeaseLossReason } from "../../core/errors.js";
import type { Instant, JobStep } from "../../core/job.js";
import type { FoundStep } from "../../core/steps.js";
import type { ClaimKey } from "../claims.js";
import { requireRoom, type StepStore } from "../job-steps.js";
import { rowId, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim, held } from "./current-claim.js";
import { Statement } from "./statement.js";

/** Which step has the name, if it is stored, and how many steps the job has. */
interface Place {
  readonly seq: number | null;
  readonly steps: number;
}

export class PostgresSteps implements StepStore {
  readonly #current;
  readonly #find;
  readonly #place;
  readonly #insert;
  readonly #list;
  readonly #result;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#current = new CurrentClaim(context);
    // They are numbered without gaps, and none is removed by itself.
    const steps = `coalesce((SELECT max(seq) FROM ${s}.job_steps WHERE job_id = $1), 0) AS steps`;
    this.#find = new Statement<
      [id: number, name: string],
      JobRow & Place & { readonly result: string | null }
    >(
      `SELECT jobs.*, step.seq, step.result, ${steps} FROM ${s}.jobs
       LEFT JOIN ${s}.job_steps AS step ON step.job_id = jobs.id AND step.name = $2
       WHERE jobs.id = $1`,
    );
    this.#place = new Statement<[id: number, name: string], Place>(
      `SELECT (SELECT seq FROM ${s}.job_steps WHERE job_id = $1 AND name = $2), ${steps}`,
    );
    this.#insert = new Statement<
      [id: number, seq: number, name: string, attempt: number, at: Instant, result: string | null],
      never
    >(`INSERT INTO ${s}.job_steps (job_id, seq, name, attempt, at, result) VALUES ($1, $2, $3, $4, $5, $6)`);
    this.#list = new Statement<[id: number], JobStep>(
      `SELECT seq, name, attempt, at, octet_length(result) AS "resultBytes" FROM ${s}.job_steps
       WHERE job_id = $1 ORDER BY seq`,
    );
    this.#result = new Statement<[id: number, seq: number], { result: string | null }>(
      `SELECT result FROM ${s}.job_steps WHERE job_id = $1 AND seq = $2`,
    );
  }

  find(key: ClaimKey, name: string): Promise<FoundStep | LeaseLossReason> {
    return this.context.look(async (db) => {
      const id = rowId(key.id);
      const row = held(id === null ? undefined : await this.#find.get(db, id, name), key);
      if (typeof row === "string") return row;
      const { seq, result, steps } = row;
      if (seq !== null) return { found: true, result };
      requireRoom(steps);
      return { found: false };
    });
  }

  store(key: ClaimKey, name: string, result: string | null): Promise<LeaseLossReason | null> {
    return this.context.write(async (tx) => {
      // The lock keeps two steps of the job from taking the same number.
      const row = held((await this.#current.lock(tx, [key.id])).get(key.id), key);
      if (typeof row === "string") return row;
      const { seq = null, steps = 0 } = (await this.#place.get(tx, row.id, name)) ?? {};
      if (seq !== null) return null;
      requireRoom(steps);
      await this.#insert.run(tx, row.id, steps + 1, name, row.attempt, tx.now, result);
      tx.ledger.note(row.queue, row.name);
      return null;
    });
  }

  list(id: string): Promise<readonly JobStep[]> {
    return this.context.read((db) => this.#list.all(db, rowId(id) ?? 0));
  }

  async result(id: string, seq: number): Promise<string | null> {
    const row = await this.context.read((db) => this.#result.get(db, rowId(id) ?? 0, seq));
    return row?.result ?? null;
  }
}
