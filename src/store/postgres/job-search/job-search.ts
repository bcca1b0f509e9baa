import { bothQueries, type JobQuery } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import type { JobState } from "../../../core/states.js";
import { queryOfFilter } from "../../job-filter.js";
import { FIRST_DEAD_FIRST, OLDEST_FIRST, orderOf, placeOf, type Place } from "../../job-search/order.js";
import { exactCounts, stateCounts } from "../../job-search/state-counts.js";
import { isLaneTerm } from "../../job-search/terms.js";
import type {
  JobCount,
  JobCursor,
  JobFilter,
  JobSearchPage,
  JobStateCounts,
  MatchingIds,
} from "../../jobs.js";
import { toJob } from "../../rows.js";
import type { Queryable } from "../connection.js";
import type { PostgresContext } from "../context.js";
import { Candidates, type Candidate } from "./candidates.js";
import { Planner, type Plan } from "./plan.js";
import { FIRST_SLICE, walkSlices } from "./slices.js";

/** Inside a transaction others may wait for what it has locked. */
const INSIDE_TRANSACTION_MS = 50;

type Read = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;

/**
 * Finds jobs by a query. Pages go by keyset: a job that exists during the whole walk and keeps its place in
 * the order is shown once, whatever else changes.
 */
export class JobSearch {
  readonly #planner;

  constructor(private readonly context: PostgresContext) {
    this.#planner = new Planner(context);
  }

  /** See `JobStore.search`. */
  page(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    limit: number,
    after: JobCursor | null,
    budgetMs: number,
  ): Promise<JobSearchPage> {
    const none = { items: [], next: null, scan: null };
    return this.#withPlan(query, queueGlobs, none, (read, plan) =>
      this.#page(read, plan, limit, after, budgetMs),
    );
  }

  async #page(
    read: Read,
    plan: Plan,
    limit: number,
    start: JobCursor | null,
    budgetMs: number,
  ): Promise<JobSearchPage> {
    const candidates = new Candidates(plan);
    const found: Candidate[] = [];
    let examined = 0;
    const walk = { start, ...this.#reachOf(plan, limit + 1, budgetMs) };
    const place = await walkSlices(this.context.clock, walk, async (after, size) => {
      // One more than the page has room for: only then does the place go back to the last of the page.
      const wanted = limit - found.length + 1;
      const { matches, end } = await read((db) => candidates.slice(db, after, size, wanted));
      found.push(...matches);
      const last = found[limit - 1];
      const overfull = found.length > limit && last !== undefined;
      examined += overfull ? last.examined : end.examined;
      return { last: overfull ? placeOf(last, plan.order) : end.last, goOn: found.length < limit };
    });
    return {
      items: found.slice(0, limit).map(toJob),
      next: place === null ? null : { sort: place.sort, id: place.id },
      scan: plan.sliced ? scanOf(examined, place) : null,
    };
  }

  /** See `JobStore.count`. */
  async count(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobCount> {
    if (query.terms.every(isLaneTerm)) {
      const counts = await this.context.read((db) => this.#planner.counts(db, query, queueGlobs));
      return { count: counts.matching, capped: false, scan: null };
    }
    const none = { count: 0, capped: false, scan: null };
    return this.#withPlan(query, queueGlobs, none, (read, plan) => this.#count(read, plan, cap, budgetMs));
  }

  async #count(read: Read, plan: Plan, cap: number, budgetMs: number): Promise<JobCount> {
    const candidates = new Candidates(plan);
    let found = 0;
    let examined = 0;
    const walk = { start: null, ...this.#reachOf(plan, cap + 1, budgetMs) };
    const place = await walkSlices(this.context.clock, walk, async (after, size) => {
      const { matching, end } = await read((db) => candidates.count(db, after, size, cap + 1 - found));
      found += matching;
      examined += end.examined;
      return { last: end.last, goOn: found <= cap };
    });
    const scan = plan.sliced ? scanOf(examined, place) : null;
    return { count: Math.min(found, cap), capped: found > cap, scan };
  }

  /** See `JobStore.countByState`. */
  async countByState(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobStateCounts> {
    const { clock, read } = this.context;
    const lanes = await read((db) => this.#planner.counts(db, query, queueGlobs));
    if (query.terms.every(isLaneTerm)) return exactCounts(lanes);
    const deadline = clock.monotonic() + budgetMs;
    const left = lanes.states.toSorted((a, b) => lanes.totalOf(b) - lanes.totalOf(a));
    const counts = new Map<JobState, JobCount>();
    for (let state = left.pop(); state !== undefined; state = left.pop()) {
      const share = (deadline - clock.monotonic()) / (left.length + 1);
      const ofState = bothQueries(queryOfFilter({ state }), query);
      counts.set(state, await this.count(ofState, queueGlobs, cap, share));
    }
    return stateCounts(counts);
  }

  /** See `JobStore.matching`. */
  async matching(
    db: Queryable,
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    afterId: string | null,
    limit: number,
    examineAtMost: number,
  ): Promise<MatchingIds> {
    const plan = await this.#planner.plan(db, query, queueGlobs, OLDEST_FIRST);
    if (plan === null) return { ids: [], lastExaminedId: null };
    const candidates = new Candidates(plan);
    const ids: string[] = [];
    const start = afterId === null ? null : { sort: 0, id: afterId };
    const walk = { start, ...this.#reachOf(plan, limit, INSIDE_TRANSACTION_MS), examineAtMost };
    const place = await walkSlices(this.context.clock, walk, async (after, size) => {
      const { matches, end } = await candidates.slice(db, after, size, limit - ids.length);
      ids.push(...matches.map(({ id }) => String(id)));
      const match = matches.at(-1);
      const isFull = ids.length === limit && match !== undefined;
      return { last: isFull ? placeOf(match, plan.order) : end.last, goOn: !isFull };
    });
    return { ids, lastExaminedId: place?.id ?? null };
  }

  /** Ids of the jobs that match and were dead at the instant `by`, oldest first. */
  async deadBy(
    db: Queryable,
    filter: Omit<JobFilter, "state">,
    by: Instant,
    limit: number,
  ): Promise<string[]> {
    const dead: JobQuery = {
      terms: [
        { kind: "state", negated: false, values: ["dead"] },
        { kind: "time", field: "finished", operator: "<=", negated: false, value: { instant: by } },
      ],
    };
    const plan = await this.#planner.plan(
      db,
      bothQueries(dead, queryOfFilter(filter)),
      null,
      FIRST_DEAD_FIRST,
    );
    if (plan === null) return [];
    const candidates = new Candidates(plan);
    const ids: string[] = [];
    const walk = { start: null, ...this.#reachOf(plan, limit, Number.POSITIVE_INFINITY) };
    await walkSlices(this.context.clock, walk, async (after, size) => {
      const { matches, end } = await candidates.slice(db, after, size, limit - ids.length);
      ids.push(...matches.map(({ id }) => String(id)));
      return { last: end.last, goOn: ids.length < limit };
    });
    return ids;
  }

  /** @param none the answer when no job can match */
  async #withPlan<Answer>(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    none: Answer,
    answer: (read: Read, plan: Plan) => Promise<Answer>,
  ): Promise<Answer> {
    const { read, snapshot } = this.context;
    const order = orderOf(query);
    const planIn = (db: Queryable) => this.#planner.plan(db, query, queueGlobs, order);
    const plan = await read(planIn);
    if (plan === null) return none;
    if (!plan.byCounters) return answer(read, plan);
    return snapshot(async (db) => {
      const again = await planIn(db);
      return again === null ? none : answer((work) => work(db), again);
    });
  }

  /** @param wanted jobs that are looked for: where all candidates match, one slice of so many has them */
  #reachOf(plan: Plan, wanted: number, budgetMs: number) {
    const examineAtMost = Number.MAX_SAFE_INTEGER;
    if (plan.sliced) return { firstSize: FIRST_SLICE, budgetMs, examineAtMost };
    // Of a small set the rest is soon told, and it has to be sorted for each slice.
    return {
      firstSize: plan.small ? examineAtMost : wanted,
      budgetMs: Number.POSITIVE_INFINITY,
      examineAtMost,
    };
  }
}

function scanOf(examined: number, place: Place | null): JobCount["scan"] & object {
  return { examined, until: place?.instant ?? null, complete: place === null };
}
