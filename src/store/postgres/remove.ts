import { TABLES_OF_A_JOB, type RemovedRow } from "../removal.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface FoundBySpec {
  readonly job_id: number;
  readonly tags: string | null;
  readonly idempotency_key: string | null;
  readonly unique_key: string | null;
}

/** Removes jobs with all that belongs to them. */
export class Remove {
  readonly #specs;
  readonly #leaveFlows;
  readonly #remove;

  constructor({ s }: PostgresContext) {
    this.#specs = new Statement<[ids: readonly number[]], FoundBySpec>(
      `SELECT job_id, tags, idempotency_key, unique_key FROM ${s}.job_specs
       WHERE job_id = ANY($1::bigint[])
         AND (tags IS NOT NULL OR idempotency_key IS NOT NULL OR unique_key IS NOT NULL)`,
    );
    // What depends on them is told before it goes.
    this.#leaveFlows = new Statement<[ids: readonly number[]], never>(
      `WITH refs AS (
         DELETE FROM ${s}.flow_jobs USING (
           SELECT flow_id, flow_ref FROM unnest($1::bigint[]) AS gone (id) CROSS JOIN LATERAL (
             SELECT flow_id, (SELECT flow_ref FROM ${s}.job_specs WHERE job_id = jobs.id) AS flow_ref
             FROM ${s}.jobs WHERE id = gone.id OFFSET 0
           ) AS job
         ) AS gone WHERE flow_jobs.flow_id = gone.flow_id AND ref = flow_ref
       ), told AS (
         DELETE FROM ${s}.dependencies WHERE on_id = ANY($1::bigint[]) AND resolved
       )
       DELETE FROM ${s}.dependencies WHERE job_id = ANY($1::bigint[])`,
    );
    const ofEach = TABLES_OF_A_JOB.map(
      (table) => `${table}_gone AS (DELETE FROM ${s}.${table} WHERE job_id = ANY($1::bigint[]))`,
    );
    // Tags and keys are given as values, not joined with the specs: so it is known how few they are, and their tables
    // are not read whole. A key may belong to a newer job by now.
    this.#remove = new Statement<
      [
        ids: readonly number[],
        tags: readonly string[],
        tagged: readonly number[],
        keys: readonly string[],
        keyed: readonly number[],
        uniqueKeys: readonly string[],
        unique: readonly number[],
      ],
      never
    >(
      `WITH ${ofEach.join(", ")}, tags_gone AS (
         DELETE FROM ${s}.job_tags USING unnest($2::text[], $3::bigint[]) AS gone (tag, job_id)
         WHERE job_tags.tag = gone.tag AND job_tags.job_id = gone.job_id
       ), keys_gone AS (
         DELETE FROM ${s}.idempotency_keys USING unnest($4::text[], $5::bigint[]) AS gone (key, job_id)
         WHERE idempotency_keys.key = gone.key AND idempotency_keys.job_id = gone.job_id
       ), unique_gone AS (
         DELETE FROM ${s}.unique_keys USING unnest($6::text[], $7::bigint[]) AS gone (key, job_id)
         WHERE unique_keys.key = gone.key AND unique_keys.job_id = gone.job_id
       )
       DELETE FROM ${s}.jobs WHERE id = ANY($1::bigint[])`,
    );
  }

  /** @param rows locked by this transaction */
  async rows(tx: Transaction, rows: readonly RemovedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    const specs = await this.#specs.all(tx, ids);
    const tags = specs.flatMap(({ job_id: id, tags }) =>
      tags === null ? [] : (JSON.parse(tags) as string[]).map((tag) => ({ id, tag })),
    );
    const inFlows = rows.flatMap(({ id, flow_id: flowId }) => (flowId === null ? [] : [id]));
    if (inFlows.length > 0) await this.#leaveFlows.run(tx, inFlows);
    const keys = specs.flatMap(({ job_id: id, idempotency_key: key }) => (key === null ? [] : [{ id, key }]));
    const unique = specs.flatMap(({ job_id: id, unique_key: key }) => (key === null ? [] : [{ id, key }]));
    await this.#remove.run(
      tx,
      ids,
      tags.map(({ tag }) => tag),
      tags.map(({ id }) => id),
      keys.map(({ key }) => key),
      keys.map(({ id }) => id),
      unique.map(({ key }) => key),
      unique.map(({ id }) => id),
    );
    for (const { id, queue, name, state, attempt, flow_id: flowId } of rows) {
      if (flowId !== null) tx.flows.book.removed(id, flowId, state);
      const lane = tx.ledger.lane(queue, name);
      lane.deleted(id, state, attempt);
      if (state === "running") lane.count("aborted");
    }
  }
}
