import type { NewFlow, NewFlowJob, UnknownRef } from "../flows.js";
import type { JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import type { Enqueue } from "./enqueue.js";
import { lockNumber } from "./lock-number.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** How a job is called that begins a flow by adding others. */
const ROOT = "root";

/** Where the jobs of a flow are while it is made: by ref, what the same call has added before. */
type Ids = Map<string, number>;

/**
 * One at a time changes the graph of a flow. Not by its row: who ends a job of the flow locks that last, and would wait
 * for whoever waits for the job.
 */
export function lockFlow(s: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended($1::bigint::text, ${lockNumber("graph of a flow", s)}))::text`;
}

/** Adds jobs to flows. */
export class MakeFlow {
  readonly #insertFlow;
  readonly #setStage;
  readonly #insertRefs;
  readonly #findRefs;
  readonly #insertDependencies;
  readonly #endsOf;
  readonly #lockFlow;
  readonly #join;

  constructor(
    { s }: PostgresContext,
    private readonly enqueue: Enqueue,
  ) {
    this.#insertFlow = new Statement<
      [name: string, stage: string, now: number, key: string | null, fingerprint: string | null],
      { id: number }
    >(
      `INSERT INTO ${s}.flows (id, name, stage, created_at, jobs, idempotency_key, fingerprint)
       VALUES (nextval('${s}.flow_ids'), $1, $2, $3, 0, $4, $5) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
    );
    this.#setStage = new Statement<[stage: string, id: number], never>(
      `UPDATE ${s}.flows SET stage = $1 WHERE id = $2`,
    );
    this.#insertRefs = new Statement<
      [flowId: number, refs: readonly string[], ids: readonly number[]],
      never
    >(
      `INSERT INTO ${s}.flow_jobs (flow_id, ref, job_id) SELECT $1::bigint, * FROM unnest($2::text[], $3::bigint[])`,
    );
    this.#findRefs = new Statement<
      [flowId: number, refs: readonly string[]],
      { ref: string; job_id: number }
    >(`SELECT ref, job_id FROM ${s}.flow_jobs WHERE flow_id = $1 AND ref = ANY($2::text[])`);
    this.#insertDependencies = new Statement<
      [onIds: readonly number[], jobIds: readonly number[], onFailures: readonly string[]],
      never
    >(
      `INSERT INTO ${s}.dependencies (on_id, job_id, on_failure)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])`,
    );
    // None of them ends unseen until this transaction does.
    this.#endsOf = new Statement<[ids: readonly number[]], Pick<JobRow, "id" | "state">>(
      `SELECT id, state FROM ${s}.jobs WHERE id = ANY($1::bigint[]) ORDER BY id FOR SHARE`,
    );
    // Two calls with the same refs must not both find them new.
    this.#lockFlow = new Statement<[id: number], never>(lockFlow(s));
    this.#join = new Statement<[flowId: number, jobId: number], never>(
      `WITH spec AS (UPDATE ${s}.job_specs SET flow_ref = '${ROOT}' WHERE job_id = $2)
       UPDATE ${s}.jobs SET flow_id = $1 WHERE id = $2`,
    );
  }

  /**
   * A flow with its first jobs.
   *
   * @param stage `open` when these are all
   * @param ids gets their ids
   * @returns the flow's id; `null` when its key is known
   */
  async begin(
    tx: Transaction,
    { name, idempotency }: Pick<NewFlow, "name" | "idempotency">,
    jobs: readonly NewFlowJob[],
    stage: "making" | "open",
    ids: Ids,
  ): Promise<number | null> {
    const [key, fingerprint] = [idempotency?.key ?? null, idempotency?.fingerprint ?? null];
    const flow = await this.#insertFlow.get(tx, name, stage, tx.now, key, fingerprint);
    if (flow === undefined) return null;
    await this.#insert(tx, flow.id, jobs, ids, stage === "open" ? 0 : 1);
    return flow.id;
  }

  /** More jobs of a flow that is not open. */
  async goOn(
    tx: Transaction,
    flowId: number,
    jobs: readonly NewFlowJob[],
    ids: Ids,
    stage: "making" | "opening",
  ): Promise<void> {
    await this.#insert(tx, flowId, jobs, ids, 1);
    await this.#setStage.run(tx, stage, flowId);
  }

  /**
   * Adds jobs to the flow of one that is running, which begins one if it is in none.
   *
   * @returns refs that nothing in the flow has; then nothing was added
   */
  async extend(tx: Transaction, row: JobRow, jobs: readonly NewFlowJob[]): Promise<UnknownRef[]> {
    const added = new Set(jobs.map(({ ref }) => ref));
    const others = jobs.flatMap(({ dependsOn }) => dependsOn.map(({ ref }) => ref));
    const ids: Ids = new Map(row.flow_id === null ? [[ROOT, row.id]] : []);
    if (row.flow_id !== null) {
      await this.#lockFlow.run(tx, row.flow_id);
      for (const { ref, job_id } of await this.#findRefs.all(tx, row.flow_id, [
        ...new Set([...added, ...others]),
      ])) {
        ids.set(ref, job_id);
      }
    }
    const unknown = jobs.flatMap(({ dependsOn }, place) =>
      dependsOn.filter(({ ref }) => !ids.has(ref) && !added.has(ref)).map(({ ref }) => ({ place, ref })),
    );
    if (unknown.length > 0) return unknown;
    const flowId = row.flow_id ?? (await this.#beginWith(tx, row));
    const fresh = jobs.filter(({ ref }) => !ids.has(ref));
    await this.#insert(tx, flowId, fresh, ids, 0);
    return [];
  }

  async #beginWith(tx: Transaction, row: JobRow): Promise<number> {
    const flowId = await this.begin(tx, { name: row.name, idempotency: null }, [], "open", new Map());
    if (flowId === null) throw new Error("A flow without a key was known");
    await this.#join.run(tx, flowId, row.id);
    await this.#insertRefs.run(tx, flowId, [ROOT], [row.id]);
    tx.flows.book.added(flowId, 1);
    return flowId;
  }

  /** @param hold what each waits for besides its dependencies: 1 while the flow is not open */
  async #insert(
    tx: Transaction,
    flowId: number,
    jobs: readonly NewFlowJob[],
    ids: Ids,
    hold: 0 | 1,
  ): Promise<void> {
    if (jobs.length === 0) return;
    const before = new Map(ids);
    const made = await this.enqueue.insertIntoFlow(
      tx,
      jobs.map(({ ref, job, dependsOn }) => ({
        job,
        place: { flowId, ref, waiting: dependsOn.length + hold },
      })),
    );
    for (const [index, { ref }] of jobs.entries()) ids.set(ref, made[index] ?? 0);
    await this.#insertRefs.run(
      tx,
      flowId,
      jobs.map(({ ref }) => ref),
      made,
    );
    tx.flows.book.added(flowId, jobs.length);
    const edges = jobs.flatMap(({ ref, dependsOn }) =>
      dependsOn.map((dependency) => ({
        ...dependency,
        id: ids.get(ref) ?? 0,
        on: ids.get(dependency.ref) ?? 0,
      })),
    );
    if (edges.length === 0) return;
    const others = [...new Set(edges.filter(({ ref }) => before.has(ref)).map(({ on }) => on))];
    const states = new Map((await this.#lockEnds(tx, others)).map(({ id, state }) => [id, state]));
    await this.#insertDependencies.run(
      tx,
      edges.map(({ on }) => on),
      edges.map(({ id }) => id),
      edges.map(({ onFailure }) => onFailure),
    );
    for (const id of others) tx.flows.book.tellAgain(id, states.get(id));
  }

  async #lockEnds(tx: Transaction, ids: readonly number[]): Promise<Pick<JobRow, "id" | "state">[]> {
    return ids.length === 0 ? [] : this.#endsOf.all(tx, ids);
  }
}
