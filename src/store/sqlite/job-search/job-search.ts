import { bothQueries, type JobQuery } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import type { JobState } from "../../../core/states.js";
import { queryOfFilter } from "../../job-filter.js";
import type {
  JobCount,
  JobCursor,
  JobFilter,
  JobSearchPage,
  JobStateCounts,
  MatchingIds,
} from "../../jobs.js";
import {
  FIRST_DEAD_FIRST,
  OLDEST_FIRST,
  orderOf,
  placeOf,
  type Order,
  type Place,
} from "../../job-search/order.js";
import { exactCounts, stateCounts } from "../../job-search/state-counts.js";
import { isLaneTerm } from "../../job-search/terms.js";
import type { SqliteContext } from "../context.js";
import { toJob, type JobRow } from "../../rows.js";
import { Candidates } from "./candidates.js";
import { Planner, type Plan } from "./plan.js";
import { readLaneCounts } from "./read-lane-counts.js";
import { slicesAtOnce, slicesOf } from "./slices.js";
import { laneConditions } from "./term-conditions.js";

/**
 * Finds jobs by a query. Pages go by keyset: a job that exists during the whole walk and keeps its place in
 * the order is shown once, whatever else changes.
 */
export class JobSearch {
  readonly #planner;

  constructor(private readonly context: SqliteContext) {
    this.#planner = new Planner(context);
  }

  /** See `JobStore.search`. */
  async page(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    limit: number,
    after: JobCursor | null,
    budgetMs: number,
  ): Promise<JobSearchPage> {
    const { clock, read } = this.context;
    const order = orderOf(query);
    const plan = await read(() => this.#planner.plan(query, queueGlobs, order, clock.now()));
    if (plan === null) return { items: [], next: null, scan: null };
    return plan.sliced ? this.#scan(plan, limit, after, budgetMs) : this.#onePage(plan, limit, after);
  }

  async #onePage(plan: Plan, limit: number, after: JobCursor | null): Promise<JobSearchPage> {
    const { db, read } = this.context;
    const rows = await read(() => new Candidates(db, plan).matching({ after, last: null }, limit + 1));
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next = rows.length > limit && last !== undefined ? cursorOf(placeOf(last, plan.order)) : null;
    return { items: page.map(toJob), next, scan: null };
  }

  async #scan(plan: Plan, limit: number, start: JobCursor | null, budgetMs: number): Promise<JobSearchPage> {
    const { db, read } = this.context;
    const candidates = new Candidates(db, plan);
    const found: JobRow[] = [];
    let place: Place | null = null;
    let examined = 0;
    for await (const { after, last, size } of slicesOf(this.context, candidates, start, budgetMs)) {
      // One more than the page has room for: only then does the place go back to the last of the page.
      const rows = await read(() => candidates.matching({ after, last }, limit - found.length + 1));
      found.push(...rows);
      const end = found[limit - 1];
      const overfull = found.length > limit && end !== undefined;
      place = overfull ? placeOf(end, plan.order) : last;
      const until = place;
      // A slice that ends at its last candidate has as many as were asked for; others are counted.
      const whole = last !== null && !overfull;
      examined += await read(() => candidates.examined({ after, last: until }, whole ? size : null));
      if (found.length >= limit) break;
    }
    return {
      items: found.slice(0, limit).map(toJob),
      next: place === null ? null : cursorOf(place),
      scan: { examined, until: place?.instant ?? null, complete: place === null },
    };
  }

  /** See `JobStore.count`. */
  async count(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobCount> {
    const { db, clock, read } = this.context;
    if (query.terms.every(isLaneTerm)) {
      const lanes = laneConditions(query, queueGlobs, "counts");
      const count = await read(() => readLaneCounts(db, lanes).matching);
      return { count, capped: false, scan: null };
    }
    const plan = await read(() => this.#planner.plan(query, queueGlobs, orderOf(query), clock.now()));
    if (plan === null) return { count: 0, capped: false, scan: null };
    const candidates = new Candidates(db, plan);
    if (plan.sliced) return this.#countSlices(candidates, cap, budgetMs);
    const found = await read(() => candidates.countMatching({ after: null, last: null }, cap + 1));
    return { count: Math.min(found, cap), capped: found > cap, scan: null };
  }

  /** See `JobStore.countByState`. */
  async countByState(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobStateCounts> {
    const { db, clock, read } = this.context;
    const lanes = await read(() => readLaneCounts(db, laneConditions(query, queueGlobs, "counts")));
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

  async #countSlices(candidates: Candidates, cap: number, budgetMs: number): Promise<JobCount> {
    const { read } = this.context;
    let found = 0;
    let examined = 0;
    let place: Place | null = null;
    for await (const { after, last, size } of slicesOf(this.context, candidates, null, budgetMs)) {
      found += await read(() => candidates.countMatching({ after, last }, cap + 1));
      examined += await read(() => candidates.examined({ after, last }, last === null ? null : size));
      place = last;
      if (found > cap) break;
    }
    const scan = { examined, until: place?.instant ?? null, complete: place === null };
    return { count: Math.min(found, cap), capped: found > cap, scan };
  }

  /**
   * See `JobStore.matching`. Reads at once, for about ten milliseconds, and may be called inside a write transaction, whose changes it
   * sees.
   */
  matching(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    afterId: string | null,
    limit: number,
    examineAtMost: number,
  ): MatchingIds {
    const { db, clock } = this.context;
    const plan = this.#planAtOnce(query, queueGlobs, OLDEST_FIRST);
    if (plan === null) return { ids: [], lastExaminedId: null };
    const candidates = new Candidates(db, plan);
    const start = afterId === null ? null : { sort: 0, id: afterId };
    const ids: string[] = [];
    let place: Place | null = null;
    for (const { after, last } of slicesAtOnce(clock, candidates, start, examineAtMost)) {
      ids.push(...candidates.matching({ after, last }, limit - ids.length).map(({ id }) => String(id)));
      if (ids.length === limit) return { ids, lastExaminedId: ids.at(-1) ?? null };
      place = last;
    }
    return { ids, lastExaminedId: place?.id ?? null };
  }

  /** Ids of the jobs that match and were dead at the instant `by`, oldest first. As `matching`, reads at once. */
  deadBy(filter: Omit<JobFilter, "state">, by: Instant, limit: number): string[] {
    const dead: JobQuery = {
      terms: [
        { kind: "state", negated: false, values: ["dead"] },
        { kind: "time", field: "finished", operator: "<=", negated: false, value: { instant: by } },
      ],
    };
    const plan = this.#planAtOnce(bothQueries(dead, queryOfFilter(filter)), null, FIRST_DEAD_FIRST);
    if (plan === null) return [];
    const rows = new Candidates(this.context.db, plan).matching({ after: null, last: null }, limit);
    return rows.map(({ id }) => String(id));
  }

  /** Inside a write transaction, the counters have to know first what was changed in it. */
  #planAtOnce(query: JobQuery, queueGlobs: readonly string[] | null, order: Order): Plan | null {
    const { db, clock, ledger } = this.context;
    if (db.inTransaction) ledger.flushCounts();
    return this.#planner.plan(query, queueGlobs, order, clock.now());
  }
}

function cursorOf({ sort, id }: Place): JobCursor {
  return { sort, id };
}
