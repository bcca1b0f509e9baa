import type { CreatedFlow, DependencyResult, FlowDetail, FlowJob, FlowLink } from "../../core/flow.js";
import type { Statement } from "better-sqlite3";
import type { LeaseLossReason } from "../../core/errors.js";
import type { ClaimKey } from "../claims.js";
import {
  afterId,
  keyInUse,
  keyReused,
  pageOf,
  toFlow,
  toFlowDetail,
  toLink,
  toOpenDependencies,
  type FlowRow,
  type LinkRow,
  type OpenRow,
  type StateCount,
} from "../flow-rows.js";
import type {
  FlowFilter,
  FlowMember,
  FlowPage,
  FlowStore,
  FlowWalk,
  NewFlow,
  NewFlowJob,
  OpenDependencies,
  PageOfFlow,
  UnknownRef,
} from "../flows.js";
import type { JobChange } from "../jobs.js";
import { rowId, toJob, type JobRow } from "../rows.js";
import type { ChangeByHand } from "./change-by-hand.js";
import type { SqliteContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { Enqueue } from "./enqueue.js";
import { MakeFlow } from "./make-flow.js";
import type { Remove } from "./remove.js";

/** Jobs that one transaction adds: bounds how long others wait for it. */
const PORTION = 1_000;
/** Dependencies that are told with each job of a list. */
const LINKS_OF_A_JOB = 100;

type MemberRow = Pick<FlowMember, "ref" | "state"> & { readonly id: number; readonly awaited: number };

export class SqliteFlows implements FlowStore {
  readonly #make;
  readonly #current;
  readonly #get;
  readonly #byKey;
  readonly #list;
  readonly #states;
  readonly #jobs;
  readonly #refOf;
  readonly #getJob;
  readonly #dependencies;
  readonly #dependencyCount;
  readonly #openDependencies;
  readonly #dependants;
  readonly #results;
  readonly #members;
  readonly #unfinished;
  readonly #failed;
  readonly #opening;
  readonly #blockedFrom;
  readonly #openedTo;
  readonly #opened;
  readonly #unmade;
  readonly #jobsOfUnmade;
  readonly #removeUnmade;

  constructor(
    private readonly context: SqliteContext,
    private readonly byHand: ChangeByHand,
    private readonly remove: Remove,
  ) {
    const { db } = context;
    this.#make = new MakeFlow(context, new Enqueue(context));
    this.#current = new CurrentClaim(db);
    this.#get = db.prepare<[number], FlowRow>("SELECT * FROM flows WHERE id = ?");
    this.#byKey = db.prepare<[string], FlowRow>("SELECT * FROM flows WHERE idempotency_key = ?");
    const list = (filter: string) =>
      db.prepare<[string, string, number, number], FlowRow>(
        `SELECT * FROM flows WHERE ${filter} AND stage <> 'making' AND id < ? ORDER BY id DESC LIMIT ?`,
      );
    // The parameters are there in each, so that one call runs whichever fits.
    this.#list = {
      all: list("? IS NOT NULL AND ? IS NOT NULL"),
      byName: list("name = ? AND ? IS NOT NULL"),
      byState: list("? IS NOT NULL AND state = ?"),
      byBoth: list("name = ? AND state = ?"),
    };
    this.#states = db.prepare<[number], StateCount>(
      "SELECT state, count(*) AS n FROM jobs WHERE flow_id = ? GROUP BY state",
    );
    this.#jobs = db.prepare<[number, number, number], JobRow>(
      "SELECT * FROM jobs WHERE flow_id = ? AND id > ? ORDER BY id LIMIT ?",
    );
    this.#refOf = db.prepare<[number], string>("SELECT flow_ref FROM job_specs WHERE job_id = ?").pluck();
    this.#getJob = db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
    const links = (id: string, of: string) =>
      db.prepare<[number, number, number], LinkRow>(
        `SELECT ${id} AS id, flow_ref AS ref, queue, state, on_failure, resolved FROM dependencies
         CROSS JOIN jobs ON jobs.id = ${id} CROSS JOIN job_specs ON job_specs.job_id = ${id}
         WHERE dependencies.${of} = ? AND ${id} > ? ORDER BY ${id} LIMIT ?`,
      );
    this.#dependencies = links("dependencies.on_id", "job_id");
    this.#dependants = links("dependencies.job_id", "on_id");
    this.#dependencyCount = db
      .prepare<[number], number>("SELECT count(*) FROM dependencies WHERE job_id = ?")
      .pluck();
    this.#openDependencies = db.prepare<[number, number], OpenRow>(
      `SELECT (SELECT flow_ref FROM job_specs WHERE job_id = id) AS ref, first.* FROM (
         SELECT on_id AS id, queue, state, on_failure, resolved, count(*) OVER () AS n
         FROM dependencies CROSS JOIN jobs ON jobs.id = on_id WHERE job_id = ? AND resolved = 0
         ORDER BY state IN ('dead', 'cancelled') DESC, on_id LIMIT ?
       ) AS first`,
    );
    this.#results = db
      .prepare<[number], string | null>("SELECT result FROM job_results WHERE job_id = ?")
      .pluck();
    this.#members = db.prepare<[number, number, string], MemberRow>(
      `SELECT flow_jobs.job_id AS id, ref, state, EXISTS (
         SELECT 1 FROM dependencies WHERE on_id = flow_jobs.job_id AND dependencies.job_id = ?
       ) AS awaited FROM flow_jobs CROSS JOIN jobs ON jobs.id = flow_jobs.job_id
       WHERE flow_jobs.flow_id = ? AND ref IN (SELECT value FROM json_each(?)) ORDER BY flow_jobs.job_id`,
    );
    const walk = (states: string) =>
      db
        .prepare<[number, number, number], number>(
          `SELECT id FROM jobs WHERE flow_id = ? AND id > ? AND state IN (${states}) ORDER BY id LIMIT ?`,
        )
        .pluck();
    this.#unfinished = walk("'blocked', 'scheduled', 'pending', 'running'");
    this.#failed = walk("'dead', 'cancelled'");
    this.#opening = db.prepare<[], Pick<FlowRow, "id" | "opened_to">>(
      "SELECT id, opened_to FROM flows WHERE stage = 'opening' LIMIT 1",
    );
    this.#blockedFrom = db.prepare<[number, number, number], JobRow>(
      "SELECT * FROM jobs WHERE flow_id = ? AND id > ? AND state = 'blocked' ORDER BY id LIMIT ?",
    );
    this.#openedTo = db.prepare<[number, number]>("UPDATE flows SET opened_to = ? WHERE id = ?");
    this.#opened = db.prepare<[number]>("UPDATE flows SET stage = 'open' WHERE id = ?");
    this.#unmade = db
      .prepare<[number], number>("SELECT id FROM flows WHERE stage = 'making' AND created_at < ? LIMIT 1")
      .pluck();
    this.#jobsOfUnmade = db.prepare<[number, number], JobRow>(
      "SELECT * FROM jobs WHERE flow_id = ? ORDER BY id LIMIT ?",
    );
    this.#removeUnmade = db.prepare<[number]>("DELETE FROM flows WHERE id = ? AND stage = 'making'");
  }

  async create(flow: NewFlow): Promise<CreatedFlow> {
    const { jobs } = flow;
    const ids = new Map<string, number>();
    const first = jobs.slice(0, PORTION);
    const stage = jobs.length > PORTION ? "making" : "open";
    const begun = await this.context.write(
      () => this.#known(flow) ?? this.#make.begin(flow, first, stage, ids),
    );
    if (typeof begun !== "number") return begun;
    for (let from = PORTION; from < jobs.length; from += PORTION) {
      const isLast = from + PORTION >= jobs.length;
      await this.context.write(() => {
        this.#make.goOn(begun, jobs.slice(from, from + PORTION), ids, isLast ? "opening" : "making");
      });
    }
    // Accepted by now. Whoever runs the loops would do the rest, but nobody may.
    while (stage === "making" && (await this.#openSome(PORTION)) > 0);
    const made = await this.context.read(() => this.#get.get(begun));
    if (made === undefined) throw new Error(`Flow ${begun} was removed while it was made`);
    return { ...toFlow(made), deduplicated: false };
  }

  add(key: ClaimKey, jobs: readonly NewFlowJob[]): Promise<readonly UnknownRef[] | LeaseLossReason> {
    return this.context.write(() => {
      const row = this.#current.find(key);
      return typeof row === "string" ? row : this.#make.extend(row, jobs);
    });
  }

  members(jobId: string, refs: readonly string[]): Promise<readonly FlowMember[]> {
    return this.context.read(() => {
      const job = this.#job(jobId);
      if (job === undefined || job.flow_id === null) return [];
      const rows = this.#members.all(job.id, job.flow_id, JSON.stringify(refs));
      return rows.map(({ id, awaited, ...row }) => ({ ...row, id: String(id), awaited: awaited === 1 }));
    });
  }

  get(id: string): Promise<FlowDetail | null> {
    return this.context.read(() => {
      const row = this.#row(id);
      return row === undefined ? null : toFlowDetail(row, this.#states.all(row.id));
    });
  }

  list({ state, name }: FlowFilter, limit: number, after: string | null): Promise<FlowPage> {
    return this.context.read(() => {
      const before = after === null ? Number.MAX_SAFE_INTEGER : (rowId(after) ?? 0);
      const { all, byName, byState, byBoth } = this.#list;
      const one = name === undefined ? byState : byBoth;
      const statement = state === undefined ? (name === undefined ? all : byName) : one;
      const rows = statement.all(name ?? "", state ?? "", before, limit + 1);
      const items = rows.slice(0, limit).map(toFlow);
      return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    });
  }

  jobs(id: string, limit: number, after: string | null): Promise<PageOfFlow<FlowJob> | null> {
    return this.context.read(() => {
      const row = this.#row(id);
      if (row === undefined) return null;
      return pageOf(this.#jobs.all(row.id, afterId(after), limit + 1), limit, (job) => this.#flowJob(job));
    });
  }

  dependencies(
    jobId: string,
    limit: number,
    after: string | null,
  ): Promise<PageOfFlow<DependencyResult> | null> {
    return this.context.read(() => {
      const job = this.#job(jobId);
      if (job === undefined) return null;
      return pageOf(this.#dependencies.all(job.id, afterId(after), limit + 1), limit, (row) => ({
        ...toLink(row),
        result: this.#results.get(row.id) ?? null,
      }));
    });
  }

  openDependencies(jobId: string, most: number): Promise<OpenDependencies> {
    return this.context.read(() => toOpenDependencies(this.#openDependencies.all(rowId(jobId) ?? 0, most)));
  }

  dependants(jobId: string, limit: number, after: string | null): Promise<PageOfFlow<FlowLink> | null> {
    return this.context.read(() => {
      const job = this.#job(jobId);
      if (job === undefined) return null;
      return pageOf(this.#dependants.all(job.id, afterId(after), limit + 1), limit, toLink);
    });
  }

  cancel(id: string, after: string | null, limit: number): Promise<FlowWalk | null> {
    return this.#walk(id, this.#unfinished, after, limit, (jobId) => this.byHand.cancel(jobId));
  }

  retry(id: string, after: string | null, limit: number): Promise<FlowWalk | null> {
    return this.#walk(id, this.#failed, after, limit, (jobId) => this.byHand.revive(jobId));
  }

  async goOn(limit: number): Promise<number> {
    const waits = await this.context.read(() => this.context.flows.hasToTell());
    const told = waits ? await this.context.write(() => this.context.flows.goOn(limit)) : 0;
    return Math.max(told, await this.#openSome(limit));
  }

  async removeUnmade(olderThanMs: number, limit: number): Promise<number> {
    const before = this.context.clock.now() - olderThanMs;
    if ((await this.context.read(() => this.#unmade.get(before))) === undefined) return 0;
    return this.context.write(() => {
      const id = this.#unmade.get(before);
      if (id === undefined) return 0;
      const rows = this.#jobsOfUnmade.all(id, limit);
      this.remove.rows(rows);
      if (rows.length < limit) this.#removeUnmade.run(id);
      return rows.length;
    });
  }

  #known({ idempotency }: NewFlow): CreatedFlow | null {
    if (idempotency === null) return null;
    const row = this.#byKey.get(idempotency.key);
    if (row === undefined) return null;
    if (row.fingerprint !== idempotency.fingerprint) throw keyReused(idempotency.key);
    if (row.stage === "making") throw keyInUse(idempotency.key);
    return { ...toFlow(row), deduplicated: true };
  }

  /** @returns how many jobs of a flow that is being opened were looked at */
  async #openSome(limit: number): Promise<number> {
    if ((await this.context.read(() => this.#opening.get())) === undefined) return 0;
    return this.context.write(() => {
      const flow = this.#opening.get();
      if (flow === undefined) return 0;
      const rows = this.#blockedFrom.all(flow.id, flow.opened_to, limit);
      for (const row of rows) this.context.flows.waitsLess(row);
      const last = rows.at(-1);
      if (last === undefined) this.#opened.run(flow.id);
      else this.#openedTo.run(last.id, flow.id);
      return rows.length;
    });
  }

  async #walk(
    id: string,
    jobs: Statement<[number, number, number], number>,
    after: string | null,
    limit: number,
    change: (jobId: string) => JobChange,
  ): Promise<FlowWalk | null> {
    return this.context.write(() => {
      const flow = this.#row(id);
      if (flow === undefined) return null;
      const ids = jobs.all(flow.id, afterId(after), limit);
      const changed = ids.filter((jobId) => change(String(jobId)).outcome === "changed").length;
      return { changed, after: ids.length < limit ? null : String(ids.at(-1)) };
    });
  }

  #row(id: string): FlowRow | undefined {
    const key = rowId(id);
    const row = key === null ? undefined : this.#get.get(key);
    return row?.stage === "making" ? undefined : row;
  }

  #job(id: string): JobRow | undefined {
    const key = rowId(id);
    return key === null ? undefined : this.#getJob.get(key);
  }

  #flowJob(row: JobRow): FlowJob {
    return {
      ...toJob(row),
      ref: this.#refOf.get(row.id) ?? "",
      dependsOn: this.#dependencies.all(row.id, 0, LINKS_OF_A_JOB).map(toLink),
      dependencies: this.#dependencyCount.get(row.id) ?? 0,
    };
  }
}
