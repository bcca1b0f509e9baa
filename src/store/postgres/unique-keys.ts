import type { Instant } from "../../core/job.js";
import { scopedKey } from "../../core/unique.js";
import { hasKey, keyUntil, type UniqueKeyRow } from "../admission.js";
import type { NewJob } from "../jobs.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** Of a row that only keeps others away from a key until the transaction ends. */
const NOBODY = 0;

/** Who has a unique key. Whoever asks for one has it to himself until his transaction ends. */
export class UniqueKeys {
  readonly #reserve;
  readonly #free;
  readonly #give;
  readonly #jobs;
  readonly #lockedJobs;

  constructor({ s }: PostgresContext) {
    // Waits for another transaction that is about to use the same key, and locks the row that is there. In one order
    // for all, so that no two wait for each other.
    this.#reserve = new Statement<[keys: readonly string[]], UniqueKeyRow>(
      `INSERT INTO ${s}.unique_keys AS had (key, job_id, states)
       SELECT key, ${NOBODY}, '' FROM unnest($1::text[]) AS asked (key) ORDER BY key
       ON CONFLICT (key) DO UPDATE SET job_id = had.job_id RETURNING *`,
    );
    this.#free = new Statement<[keys: readonly string[]], never>(
      `DELETE FROM ${s}.unique_keys WHERE key = ANY($1::text[]) AND job_id = ${NOBODY}`,
    );
    this.#give = new Statement<
      [
        keys: readonly string[],
        ids: readonly number[],
        states: readonly string[],
        untils: readonly (Instant | null)[],
      ],
      never
    >(
      `INSERT INTO ${s}.unique_keys (key, job_id, states, expires_at)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[])
       ON CONFLICT (key) DO UPDATE
         SET job_id = excluded.job_id, states = excluded.states, expires_at = excluded.expires_at`,
    );
    this.#jobs = new Statement<[ids: readonly number[]], JobRow>(
      `SELECT * FROM ${s}.jobs WHERE id = ANY($1::bigint[])`,
    );
    this.#lockedJobs = new Statement<[ids: readonly number[]], JobRow>(
      `${this.#jobs.text} ORDER BY id FOR UPDATE`,
    );
  }

  /** @returns the jobs that have the keys of these, by key; those that may be changed are locked */
  async holders(tx: Transaction, jobs: readonly NewJob[]): Promise<Map<string, JobRow>> {
    const keys = keysOf(jobs);
    if (keys.length === 0) return new Map();
    const rows = await this.#reserve.all(tx, keys);
    const ids = rows.map(({ job_id: id }) => id).filter((id) => id !== NOBODY);
    if (ids.length === 0) return new Map();
    // In a statement of its own after the one that waits: what whoever had the key before did is seen.
    const changes = jobs.some(({ unique }) => unique !== null && CHANGING.has(unique.onConflict));
    const found = await (changes ? this.#lockedJobs : this.#jobs).all(tx, ids);
    const byId = new Map(found.map((row) => [row.id, row]));
    return new Map(
      rows.flatMap((row) => {
        const job = byId.get(row.job_id);
        return job !== undefined && hasKey(row, job, tx.now) ? [[row.key, job] as const] : [];
      }),
    );
  }

  async give(tx: Transaction, owners: readonly { job: NewJob; id: number }[]): Promise<void> {
    const byKey = new Map(
      owners.flatMap(({ job: { unique, queue, name }, id }) => {
        if (unique === null) return [];
        const key = scopedKey(unique, { queue, name });
        return [[key, { unique, key, id }] as const];
      }),
    );
    // A job of this very call may have lost its key to a later one.
    const given = [...byKey.values()];
    if (given.length === 0) return;
    await this.#give.run(
      tx,
      given.map(({ key }) => key),
      given.map(({ id }) => id),
      given.map(({ unique }) => unique.states.join(",")),
      given.map(({ unique }) => keyUntil(unique, tx.now)),
    );
  }

  /** Of those that asked and were refused: who works in a transaction of the caller may go on after this. */
  async free(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
    const keys = keysOf(jobs);
    if (keys.length > 0) await this.#free.run(tx, keys);
  }
}

const CHANGING: ReadonlySet<string> = new Set(["replace", "reschedule"]);

function keysOf(jobs: readonly NewJob[]): string[] {
  const keys = jobs.flatMap((job) => (job.unique === null ? [] : [scopedKey(job.unique, job)]));
  return [...new Set(keys)];
}
