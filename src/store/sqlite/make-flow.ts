import type { JobState } from "../../core/states.js";
import type { NewFlow, NewFlowJob, UnknownRef } from "../flows.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";
import type { Enqueue } from "./enqueue.js";

/** How a job is called that begins a flow by adding others. */
const ROOT = "root";

/** Where the jobs of a flow are while it is made: by ref, what the same call has added before. */
type Ids = Map<string, number>;

/** Adds jobs to flows. Every method runs inside a write transaction. */
export class MakeFlow {
  readonly #insertFlow;
  readonly #setStage;
  readonly #insertRef;
  readonly #findRef;
  readonly #insertDependency;
  readonly #stateOf;
  readonly #join;
  readonly #joinSpec;

  constructor(
    private readonly context: SqliteContext,
    private readonly enqueue: Enqueue,
  ) {
    const { db } = context;
    this.#insertFlow = db.prepare<[number, string, string, number, string | null, string | null]>(
      `INSERT INTO flows (id, name, stage, created_at, jobs, idempotency_key, fingerprint) VALUES (?, ?, ?, ?, 0, ?, ?)`,
    );
    this.#setStage = db.prepare<[string, number]>("UPDATE flows SET stage = ? WHERE id = ?");
    this.#insertRef = db.prepare<[number, string, number]>(
      "INSERT INTO flow_jobs (flow_id, ref, job_id) VALUES (?, ?, ?)",
    );
    this.#findRef = db
      .prepare<[number, string], number>("SELECT job_id FROM flow_jobs WHERE flow_id = ? AND ref = ?")
      .pluck();
    this.#insertDependency = db.prepare<[number, number, string]>(
      "INSERT INTO dependencies (on_id, job_id, on_failure) VALUES (?, ?, ?)",
    );
    this.#stateOf = db.prepare<[number], JobState>("SELECT state FROM jobs WHERE id = ?").pluck();
    this.#join = db.prepare<[number, number]>("UPDATE jobs SET flow_id = ? WHERE id = ?");
    this.#joinSpec = db.prepare<[string, number]>("UPDATE job_specs SET flow_ref = ? WHERE job_id = ?");
  }

  /**
   * A flow with its first jobs.
   *
   * @param stage `open` when these are all
   * @param ids gets their ids
   * @returns the flow's id
   */
  begin(
    { name, idempotency }: Pick<NewFlow, "name" | "idempotency">,
    jobs: readonly NewFlowJob[],
    stage: "making" | "open",
    ids: Ids,
  ): number {
    const id = this.context.sequences.take("flow", 1) + 1;
    this.#insertFlow.run(
      id,
      name,
      stage,
      this.context.clock.now(),
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
    );
    this.#insert(id, jobs, ids, stage === "open" ? 0 : 1);
    return id;
  }

  /** More jobs of a flow that is not open. */
  goOn(flowId: number, jobs: readonly NewFlowJob[], ids: Ids, stage: "making" | "opening"): void {
    this.#insert(flowId, jobs, ids, 1);
    this.#setStage.run(stage, flowId);
  }

  /**
   * Adds jobs to the flow of one that is running, which begins one if it is in none.
   *
   * @returns refs that nothing in the flow has; then nothing was added
   */
  extend(row: JobRow, jobs: readonly NewFlowJob[]): UnknownRef[] {
    const ids: Ids = new Map();
    const known = (ref: string): number | undefined =>
      row.flow_id === null ? undefined : this.#findRef.get(row.flow_id, ref);
    const added = new Set(jobs.map(({ ref }) => ref));
    const others = new Set(jobs.flatMap(({ dependsOn }) => dependsOn.map(({ ref }) => ref)));
    for (const ref of [...added, ...others]) {
      const id = known(ref) ?? (row.flow_id === null && ref === ROOT ? row.id : undefined);
      if (id !== undefined) ids.set(ref, id);
    }
    const unknown = jobs.flatMap(({ dependsOn }, place) =>
      dependsOn.filter(({ ref }) => !ids.has(ref) && !added.has(ref)).map(({ ref }) => ({ place, ref })),
    );
    if (unknown.length > 0) return unknown;
    const flowId = row.flow_id ?? this.#beginWith(row);
    this.#insert(
      flowId,
      jobs.filter(({ ref }) => !ids.has(ref)),
      ids,
      0,
    );
    return [];
  }

  #beginWith(row: JobRow): number {
    const flowId = this.begin({ name: row.name, idempotency: null }, [], "open", new Map());
    this.#join.run(flowId, row.id);
    this.#joinSpec.run(ROOT, row.id);
    this.#insertRef.run(flowId, ROOT, row.id);
    this.context.flows.book.added(flowId, 1);
    return flowId;
  }

  /** @param hold what each waits for besides its dependencies: 1 while the flow is not open */
  #insert(flowId: number, jobs: readonly NewFlowJob[], ids: Ids, hold: 0 | 1): void {
    const now = this.context.clock.now();
    for (const { ref, job, dependsOn } of jobs) {
      const id = this.enqueue.insertIntoFlow(job, now, { flowId, ref, waiting: dependsOn.length + hold });
      ids.set(ref, id);
      this.#insertRef.run(flowId, ref, id);
      for (const { ref: other, onFailure } of dependsOn) this.#depend(id, ids.get(other) ?? 0, onFailure);
    }
    this.context.flows.book.added(flowId, jobs.length);
    this.context.step("flow:jobs");
  }

  #depend(id: number, on: number, onFailure: string): void {
    this.#insertDependency.run(on, id, onFailure);
    this.context.flows.book.tellAgain(on, this.#stateOf.get(on));
  }
}
