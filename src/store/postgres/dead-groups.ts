import { kindOfStoredError } from "../stored-error-kind.js";
import type { DeadJobs } from "../lane.js";
import type { Queryable } from "./connection.js";
import { Statement } from "./statement.js";

export class DeadGroupStatements {
  readonly errors;
  readonly join;
  readonly leave;
  readonly lock;
  readonly subtract;
  readonly removeEmpty;

  constructor(s: string) {
    this.errors = new Statement<[ids: readonly number[]], { job_id: number; error: string }>(
      `SELECT DISTINCT ON (job_id) job_id, error FROM ${s}.attempts
       WHERE job_id = ANY($1::bigint[]) AND error IS NOT NULL ORDER BY job_id, token DESC`,
    );
    // Groups in one order for all: two transactions that meet in two groups must not wait for each other. A job that
    // is in its group already, in a database that was edited by hand, is not counted again.
    this.join = new Statement<[died: string], never>(
      `WITH died AS MATERIALIZED (
         SELECT told.*, coalesce(finished_at, created_at) AS died_at
         FROM jsonb_to_recordset($1::jsonb)
           AS told (id bigint, queue text, name text, fingerprint text, type text, message text)
         JOIN ${s}.jobs ON jobs.id = told.id
         WHERE NOT EXISTS (SELECT 1 FROM ${s}.dead_jobs WHERE job_id = told.id)
       ), groups AS (
         INSERT INTO ${s}.dead_groups AS known (fingerprint, queue, name, type, message, n, last_at)
         SELECT fingerprint, queue, name, min(type), min(message), count(*), max(died_at) FROM died
         GROUP BY fingerprint, queue, name ORDER BY fingerprint, queue, name
         ON CONFLICT (fingerprint, queue, name) DO UPDATE
           SET n = known.n + excluded.n, last_at = greatest(known.last_at, excluded.last_at)
         RETURNING id, fingerprint, queue, name
       )
       INSERT INTO ${s}.dead_jobs (job_id, group_id, died_at)
       SELECT died.id, groups.id, died_at FROM died JOIN groups USING (fingerprint, queue, name)`,
    );
    this.leave = new Statement<[ids: readonly number[]], { group_id: number; n: number }>(
      `WITH gone AS (DELETE FROM ${s}.dead_jobs WHERE job_id = ANY($1::bigint[]) RETURNING group_id)
       SELECT group_id, count(*) AS n FROM gone GROUP BY group_id`,
    );
    this.lock = new Statement<[groups: readonly number[]], never>(
      `SELECT 1 FROM ${s}.dead_groups WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    );
    this.subtract = new Statement<[groups: readonly number[], counts: readonly number[]], never>(
      `UPDATE ${s}.dead_groups SET n = dead_groups.n - gone.n, last_at = coalesce((
         SELECT died_at FROM ${s}.dead_jobs WHERE group_id = dead_groups.id ORDER BY died_at DESC LIMIT 1
       ), last_at)
       FROM unnest($1::bigint[], $2::bigint[]) AS gone (id, n) WHERE dead_groups.id = gone.id`,
    );
    this.removeEmpty = new Statement<[groups: readonly number[]], never>(
      `DELETE FROM ${s}.dead_groups WHERE id = ANY($1::bigint[]) AND n = 0`,
    );
  }
}

interface Died {
  readonly queue: string;
  readonly name: string;
}

/** The groups of dead jobs in one transaction. What was reported is written at its end. */
export class DeadGroups implements DeadJobs {
  readonly #joined = new Map<number, Died>();
  readonly #left = new Set<number>();

  constructor(private readonly statements: DeadGroupStatements) {}

  joined(id: number, queue: string, name: string): void {
    this.#joined.set(id, { queue, name });
  }

  left(id: number): void {
    if (!this.#joined.delete(id)) this.#left.add(id);
  }

  /** The last attempts of those that died are recorded by now. */
  async flush(db: Queryable): Promise<void> {
    // First: a job may have left its group and joined another one.
    if (this.#left.size > 0) await this.#leave(db, [...this.#left]);
    if (this.#joined.size > 0) await this.#join(db, [...this.#joined.keys()]);
  }

  async #join(db: Queryable, ids: readonly number[]): Promise<void> {
    const errors = new Map((await this.statements.errors.all(db, ids)).map((row) => [row.job_id, row.error]));
    const died = [...this.#joined].map(([id, { queue, name }]) => {
      const { fingerprint, type, message } = kindOfStoredError(errors.get(id) ?? null);
      return { id, queue, name, fingerprint, type: JSON.stringify(type), message: JSON.stringify(message) };
    });
    await this.statements.join.run(db, JSON.stringify(died));
  }

  async #leave(db: Queryable, ids: readonly number[]): Promise<void> {
    const gone = await this.statements.leave.all(db, ids);
    const groups = gone.map((row) => row.group_id);
    // Locked by a statement of its own: the next one then sees which jobs others have taken out of the same groups.
    await this.statements.lock.run(db, groups);
    await this.statements.subtract.run(
      db,
      groups,
      gone.map(({ n }) => n),
    );
    await this.statements.removeEmpty.run(db, groups);
  }
}
