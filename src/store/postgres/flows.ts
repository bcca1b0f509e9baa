import type { LeaseLossReason } from "../../core/errors.js";
import type { CreatedFlow, DependencyResult, FlowDetail, FlowJob, FlowLink } from "../../core/flow.js";
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
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim, held } from "./current-claim.js";
import { Enqueue } from "./enqueue.js";
import { TryAgain } from "./errors.js";
import type { BlockedRow } from "./flow-ends.js";
import { MakeFlow } from "./make-flow.js";
import type { Remove } from "./remove.js";
import { Statement } from "./statement.js";
import { UnmadeFlows } from "./unmade-flows.js";
import type { Transaction } from "./transaction.js";

/** Jobs that one transaction adds: bounds how long others wait for it. */
const PORTION = 1_000;
/** Dependencies that are told with each job of a list. */
const LINKS_OF_A_JOB = 100;

type LinkStatement<Row> = Statement<[jobId: number, after: number, limit: number], Row>;
type WalkStatement = Statement<[flowId: number, after: number, limit: number], { id: number }>;

type MemberRow = Omit<FlowMember, "id"> & { readonly id: number };

interface FlowJobRow extends JobRow {
  readonly ref: string;
  readonly depends_on: readonly LinkRow[];
  readonly dependencies: number;
}

export class PostgresFlows implements FlowStore {
  readonly #make;
  readonly #current;
  readonly #get;
  readonly #byKey;
  readonly #list;
  readonly #states;
  readonly #jobs;
  readonly #flowOf;
  readonly #dependencies: LinkStatement<LinkRow & { readonly result: string | null }>;
  readonly #openDependencies;
  readonly #dependants: LinkStatement<LinkRow>;
  readonly #members;
  readonly #unfinished;
  readonly #failed;
  readonly #opening;
  readonly #blockedFrom;
  readonly #openedTo;
  readonly #stage;
  readonly #left;
  readonly #unmade;

  constructor(
    private readonly context: PostgresContext,
    private readonly byHand: ChangeByHand,
    remove: Remove,
  ) {
    const { s } = context;
    this.#make = new MakeFlow(context, new Enqueue(context));
    this.#current = new CurrentClaim(context);
    this.#unmade = new UnmadeFlows(context, remove);
    this.#get = new Statement<[id: number], FlowRow>(`SELECT * FROM ${s}.flows WHERE id = $1`);
    this.#byKey = new Statement<[key: string], FlowRow>(
      `SELECT * FROM ${s}.flows WHERE idempotency_key = $1`,
    );
    this.#list = new Statement<
      [name: string | null, state: string | null, before: number, limit: number],
      FlowRow
    >(
      `SELECT * FROM ${s}.flows WHERE stage <> 'making' AND id < $3
         AND ($1::text IS NULL OR name = $1) AND ($2::text IS NULL OR state = $2)
       ORDER BY id DESC LIMIT $4`,
    );
    this.#states = new Statement<[flowId: number], StateCount>(
      `SELECT state, count(*) AS n FROM ${s}.jobs WHERE flow_id = $1 GROUP BY state`,
    );
    // Of each job by itself: joined, the tables might be read whole.
    const links = (id: string, of: string, more = "") =>
      `SELECT ${id} AS id, (SELECT flow_ref FROM ${s}.job_specs WHERE job_id = ${id}) AS ref,
         (SELECT queue FROM ${s}.jobs WHERE jobs.id = ${id}) AS queue,
         (SELECT state FROM ${s}.jobs WHERE jobs.id = ${id}) AS state, on_failure, resolved${more}
       FROM ${s}.dependencies WHERE ${of}`;
    this.#jobs = new Statement<[flowId: number, after: number, limit: number, links: number], FlowJobRow>(
      `SELECT job.*, (SELECT flow_ref FROM ${s}.job_specs WHERE job_id = job.id) AS ref,
         (SELECT coalesce(json_agg(link), '[]') FROM (
            ${links("on_id", "dependencies.job_id = job.id")} ORDER BY on_id LIMIT $4
          ) AS link) AS depends_on,
         (SELECT count(*) FROM ${s}.dependencies WHERE dependencies.job_id = job.id) AS dependencies
       FROM (SELECT * FROM ${s}.jobs WHERE flow_id = $1 AND id > $2 ORDER BY id LIMIT $3) AS job ORDER BY id`,
    );
    this.#flowOf = new Statement<[id: number], { flow_id: number | null }>(
      `SELECT flow_id FROM ${s}.jobs WHERE id = $1`,
    );
    const result = `, (SELECT result FROM ${s}.job_results WHERE job_id = on_id) AS result`;
    this.#dependencies = new Statement(
      `${links("on_id", "dependencies.job_id = $1 AND on_id > $2", result)} ORDER BY on_id LIMIT $3`,
    );
    this.#openDependencies = new Statement<[jobId: number, most: number], OpenRow>(openDependenciesSql(s));
    this.#dependants = new Statement(
      `${links("dependencies.job_id", "on_id = $1 AND dependencies.job_id > $2")}
       ORDER BY dependencies.job_id LIMIT $3`,
    );
    this.#members = new Statement<[flowId: number, refs: readonly string[], jobId: string], MemberRow>(
      membersSql(s),
    );
    const walk = (states: string): WalkStatement =>
      new Statement(
        `SELECT id FROM ${s}.jobs WHERE flow_id = $1 AND id > $2 AND state IN (${states}) ORDER BY id LIMIT $3`,
      );
    this.#unfinished = walk("'blocked', 'scheduled', 'pending', 'running'");
    this.#failed = walk("'dead', 'cancelled'");
    // Another process that does the same takes another one.
    this.#opening = new Statement<[], Pick<FlowRow, "id" | "opened_to">>(
      `SELECT id, opened_to FROM ${s}.flows WHERE stage = 'opening' ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    );
    this.#blockedFrom = new Statement<[flowId: number, after: number, limit: number], BlockedRow>(
      `SELECT id, queue, name, priority, state, attempt, run_at, waiting, flow_id,
         (SELECT delay_ms FROM ${s}.job_specs WHERE job_id = jobs.id) AS delay_ms
       FROM ${s}.jobs WHERE flow_id = $1 AND id > $2 AND state = 'blocked' ORDER BY id LIMIT $3 FOR UPDATE`,
    );
    const set = (what: string) =>
      new Statement<[id: number, value: number | string], never>(
        `UPDATE ${s}.flows SET ${what} = $2 WHERE id = $1`,
      );
    this.#openedTo = set("opened_to");
    this.#stage = set("stage");
    this.#left = new Statement<[], { telling: boolean; opening: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${s}.ends_to_tell) AS telling,
         EXISTS (SELECT 1 FROM ${s}.flows WHERE stage = 'opening') AS opening`,
    );
  }

  async create(flow: NewFlow): Promise<CreatedFlow> {
    const { jobs } = flow;
    const ids = new Map<string, number>();
    const first = jobs.slice(0, PORTION);
    const stage = jobs.length > PORTION ? "making" : "open";
    const begun = await this.context.write(
      async (tx) => (await this.#make.begin(tx, flow, first, stage, ids)) ?? this.#known(tx, flow),
    );
    if (typeof begun !== "number") return begun;
    for (let from = PORTION; from < jobs.length; from += PORTION) {
      const isLast = from + PORTION >= jobs.length;
      await this.context.write((tx) =>
        this.#make.goOn(tx, begun, jobs.slice(from, from + PORTION), ids, isLast ? "opening" : "making"),
      );
    }
    // Accepted by now. Whoever runs the loops would do the rest, but nobody may.
    while (stage === "making" && (await this.#openSome(PORTION)) > 0);
    const made = await this.context.look((db) => this.#get.get(db, begun));
    if (made === undefined) throw new Error(`Flow ${String(begun)} was removed while it was made`);
    return { ...toFlow(made), deduplicated: false };
  }

  add(key: ClaimKey, jobs: readonly NewFlowJob[]): Promise<readonly UnknownRef[] | LeaseLossReason> {
    return this.context.write(async (tx) => {
      const row = held((await this.#current.lock(tx, [key.id])).get(key.id), key);
      return typeof row === "string" ? row : this.#make.extend(tx, row, jobs);
    });
  }

  members(jobId: string, refs: readonly string[]): Promise<readonly FlowMember[]> {
    return this.context.look(async (db) => {
      const flowId = (await this.#job(db, jobId))?.flow_id ?? null;
      if (flowId === null) return [];
      return (await this.#members.all(db, flowId, refs, jobId)).map((member) => ({
        ...member,
        id: String(member.id),
      }));
    });
  }

  get(id: string): Promise<FlowDetail | null> {
    return this.context.snapshot(async (db) => {
      const row = await this.#row(db, id);
      return row === undefined ? null : toFlowDetail(row, await this.#states.all(db, row.id));
    });
  }

  list({ state, name }: FlowFilter, limit: number, after: string | null): Promise<FlowPage> {
    return this.context.read(async (db) => {
      const before = after === null ? Number.MAX_SAFE_INTEGER : (rowId(after) ?? 0);
      const rows = await this.#list.all(db, name ?? null, state ?? null, before, limit + 1);
      const items = rows.slice(0, limit).map(toFlow);
      return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
    });
  }

  jobs(id: string, limit: number, after: string | null): Promise<PageOfFlow<FlowJob> | null> {
    return this.context.snapshot(async (db) => {
      const row = await this.#row(db, id);
      if (row === undefined) return null;
      const jobs = await this.#jobs.all(db, row.id, afterId(after), limit + 1, LINKS_OF_A_JOB);
      return pageOf(jobs, limit, (job) => ({
        ...toJob(job),
        ref: job.ref,
        dependsOn: job.depends_on.map(toLink),
        dependencies: job.dependencies,
      }));
    });
  }

  dependencies(
    jobId: string,
    limit: number,
    after: string | null,
  ): Promise<PageOfFlow<DependencyResult> | null> {
    return this.#links(this.#dependencies, jobId, limit, after, (row) => ({
      ...toLink(row),
      result: row.result,
    }));
  }

  openDependencies(jobId: string, most: number): Promise<OpenDependencies> {
    return this.context.read(async (db) =>
      toOpenDependencies(await this.#openDependencies.all(db, rowId(jobId) ?? 0, most)),
    );
  }

  dependants(jobId: string, limit: number, after: string | null): Promise<PageOfFlow<FlowLink> | null> {
    return this.#links(this.#dependants, jobId, limit, after, toLink);
  }

  cancel(id: string, after: string | null, limit: number): Promise<FlowWalk | null> {
    return this.#walk(id, this.#unfinished, after, limit, (tx, ids) => this.byHand.cancel(tx, ids));
  }

  retry(id: string, after: string | null, limit: number): Promise<FlowWalk | null> {
    return this.#walk(id, this.#failed, after, limit, (tx, ids) => this.byHand.revive(tx, ids));
  }

  async goOn(limit: number): Promise<number> {
    const { telling, opening } = (await this.context.look((db) => this.#left.get(db))) ?? {};
    const told = telling === true ? await this.context.write((tx) => tx.flows.goOn(tx, limit)) : 0;
    return Math.max(told, opening === true ? await this.#openSome(limit) : 0);
  }

  removeUnmade(olderThanMs: number, limit: number): Promise<number> {
    return this.#unmade.remove(olderThanMs, limit);
  }

  async #known(tx: Transaction, { idempotency }: NewFlow): Promise<CreatedFlow> {
    const key = idempotency?.key ?? "";
    const row = await this.#byKey.get(tx, key);
    // It was removed in between: a second try finds the key free.
    if (row === undefined) throw new TryAgain();
    if (row.fingerprint !== idempotency?.fingerprint) throw keyReused(key);
    if (row.stage === "making") throw keyInUse(key);
    return { ...toFlow(row), deduplicated: true };
  }

  /** @returns how many jobs of a flow that is being opened were looked at */
  #openSome(limit: number): Promise<number> {
    return this.context.write(async (tx) => {
      const flow = await this.#opening.get(tx);
      if (flow === undefined) return 0;
      const rows = await this.#blockedFrom.all(tx, flow.id, flow.opened_to, limit);
      await tx.flows.open(tx, rows);
      const last = rows.at(-1);
      if (last === undefined) await this.#stage.run(tx, flow.id, "open");
      else await this.#openedTo.run(tx, flow.id, last.id);
      return rows.length;
    });
  }

  #walk(
    id: string,
    jobs: WalkStatement,
    after: string | null,
    limit: number,
    change: (tx: Transaction, ids: readonly string[]) => Promise<readonly JobChange[]>,
  ): Promise<FlowWalk | null> {
    return this.context.write(async (tx) => {
      const flow = await this.#row(tx, id);
      if (flow === undefined) return null;
      const ids = (await jobs.all(tx, flow.id, afterId(after), limit)).map((row) => String(row.id));
      const changed = (await change(tx, ids)).filter(({ outcome }) => outcome === "changed").length;
      return { changed, after: ids.length < limit ? null : (ids.at(-1) ?? null) };
    });
  }

  #links<Row extends LinkRow, Item>(
    statement: LinkStatement<Row>,
    jobId: string,
    limit: number,
    after: string | null,
    toItem: (row: Row) => Item,
  ): Promise<PageOfFlow<Item> | null> {
    return this.context.read(async (db) => {
      if ((await this.#job(db, jobId)) === undefined) return null;
      return pageOf(await statement.all(db, Number(jobId), afterId(after), limit + 1), limit, toItem);
    });
  }

  async #row(db: Queryable, id: string): Promise<FlowRow | undefined> {
    const key = rowId(id);
    const row = key === null ? undefined : await this.#get.get(db, key);
    return row?.stage === "making" ? undefined : row;
  }

  async #job(db: Queryable, id: string): Promise<{ flow_id: number | null } | undefined> {
    const key = rowId(id);
    return key === null ? undefined : this.#flowOf.get(db, key);
  }
}

// Each job is looked up by itself: joined, the table might be read whole.
function openDependenciesSql(s: string): string {
  return `SELECT (SELECT flow_ref FROM ${s}.job_specs WHERE job_id = first.id) AS ref, first.* FROM (
         SELECT on_id AS id, queue, state, on_failure, resolved, count(*) OVER () AS n
         FROM ${s}.dependencies
         CROSS JOIN LATERAL (SELECT queue, state FROM ${s}.jobs WHERE jobs.id = on_id OFFSET 0) AS job
         WHERE job_id = $1 AND NOT resolved
         ORDER BY state IN ('dead', 'cancelled') DESC, on_id LIMIT $2
       ) AS first`;
}

function membersSql(s: string): string {
  return `SELECT job_id AS id, ref, (SELECT state FROM ${s}.jobs WHERE id = flow_jobs.job_id) AS state,
         coalesce((SELECT true FROM ${s}.dependencies WHERE on_id = flow_jobs.job_id
           AND dependencies.job_id = $3::bigint LIMIT 1), false) AS awaited
       FROM ${s}.flow_jobs
       WHERE flow_id = $1 AND ref = ANY($2::text[]) ORDER BY job_id`;
}
