import {
  EVERY_JOB,
  type JobQuery,
  type JobTerm,
  type TextField,
  type TextTerm,
} from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import type { SqliteContext } from "../context.js";
import { allOf, oneOf, type Condition } from "./condition.js";
import { LaneCounts } from "./lane-counts.js";
import type { Order } from "./order.js";
import {
  allJobs,
  jobsOfGroups,
  jobsOfStates,
  jobsWithKey,
  jobsWithTag,
  orderedByGroup,
  orderedByState,
  orderedByTag,
  type Source,
} from "./sources.js";
import { isLaneTerm, laneConditions, readsMore, TIME_COLUMNS, termCondition } from "./term-conditions.js";

/**
 * A set of candidates up to this size is read whole and sorted, which takes a few milliseconds. A larger one
 * is walked in an order that an index has.
 */
export const SMALL_SET = 10_000;

/** How a query is answered. */
export interface Plan {
  readonly order: Order;
  /** Candidates, from an index. */
  readonly source: Source;
  /** What a token that is limited to some queues may know of candidates that do not match. */
  readonly covered: readonly Condition[];
  /** What each candidate is still asked. */
  readonly rest: Condition;
  /** Whether candidates may have to be looked at in vain, so many that it must be done in slices. */
  readonly sliced: boolean;
}

interface Choice {
  readonly source: Source;
  /** Terms that are true of all candidates. */
  readonly answers: readonly JobTerm[];
  /** Whether all candidates are of the queues, names and states that are asked for. */
  readonly answersLanes?: boolean;
}

/** Decides which index gives the candidates, by what a query asks and how many jobs there are. */
export class Planner {
  constructor(private readonly context: Pick<SqliteContext, "db" | "smallSet">) {}

  /**
   * @param now what relative times of the query are counted from
   * @returns `null` when the counters say that no job can match
   */
  plan(query: JobQuery, queueGlobs: readonly string[] | null, order: Order, now: Instant): Plan | null {
    const counts = new LaneCounts(this.context.db, laneConditions(query, queueGlobs, "counts"));
    if (counts.matching === 0) return null;
    const {
      source,
      answers,
      answersLanes = false,
    } = this.#byKey(query, order) ??
    this.#byFingerprint(query, queueGlobs, order) ??
    this.#byTag(query, order) ??
    this.#byState(query, order, counts, now) ??
    this.#byLanes(query, queueGlobs, counts);
    const left = query.terms.filter((term) => !isLaneTerm(term) && !answers.includes(term));
    const sliced = source.small
      ? left.some(readsMore)
      : left.length > 0 || !(answersLanes || counts.holdForAll(order.of?.state ?? null));
    const rest = allOf([
      ...laneConditions(query, queueGlobs, "jobs"),
      ...left.map((term) => termCondition(term, now, "jobs")),
    ]);
    return { order, source, covered: laneConditions(EVERY_JOB, queueGlobs, "jobs"), rest, sliced };
  }

  #byKey({ terms }: JobQuery, order: Order): Choice | null {
    const term = exactTerm(terms, "id") ?? exactTerm(terms, "key");
    return term === null ? null : { source: jobsWithKey(term, order), answers: [term] };
  }

  #byFingerprint(query: JobQuery, queueGlobs: readonly string[] | null, order: Order): Choice | null {
    const term = exactTerm(query.terms, "fingerprint");
    if (term === null || (order.of !== null && order.of.state !== "dead")) return null;
    const ofDead: JobQuery = { terms: query.terms.filter(({ kind }) => kind !== "state") };
    const groups = allOf([
      oneOf("dead_groups.fingerprint", term.values),
      ...laneConditions(ofDead, queueGlobs, "dead_groups"),
    ]);
    const [first, ...more] = this.context.db
      .prepare<unknown[], { id: number; n: number }>(
        `SELECT id, n FROM dead_groups WHERE ${groups.sql} ORDER BY n DESC LIMIT ?`,
      )
      .all(...groups.values, this.context.smallSet + 2);
    const jobs = more.reduce((sum, { n }) => sum + n, first?.n ?? 0);
    if (jobs <= this.context.smallSet) return { source: jobsOfGroups(groups, order), answers: [term] };
    // Several large groups have no order together.
    if (first === undefined || more.length > 0) return null;
    return { source: orderedByGroup(first.id, order), answers: [term], answersLanes: asksForDead(query) };
  }

  #byTag({ terms }: JobQuery, order: Order): Choice | null {
    const term = exactTerm(terms, "tag");
    if (term === null) return null;
    if (this.#isSmall(term.values)) return { source: jobsWithTag(term, order), answers: [term] };
    // With several tags a job could come twice, and other orders are no order of tags.
    if (order.of !== null || term.values.length > 1) return null;
    return { source: orderedByTag(term), answers: [term] };
  }

  #byState({ terms }: JobQuery, order: Order, counts: LaneCounts, now: Instant): Choice | null {
    if (order.of === null) return null;
    const ranges = terms.filter((term) => isRangeOf(term, order));
    const conditions = ranges.map((term) => termCondition(term, now, "jobs"));
    const small = counts.totalOf(order.of.state) <= this.context.smallSet;
    return { source: orderedByState(order.of, conditions, small), answers: ranges };
  }

  #byLanes(query: JobQuery, queueGlobs: readonly string[] | null, counts: LaneCounts): Choice {
    const lanes = laneConditions(query, queueGlobs, "counts");
    const few = lanes.length > 0 && costOf(counts) <= this.context.smallSet;
    return { source: few ? jobsOfStates(counts.states, allOf(lanes)) : allJobs(), answers: [] };
  }

  #isSmall(tags: readonly string[]): boolean {
    const { sql, values } = oneOf("tag", tags);
    const limit = this.context.smallSet + 1;
    const count = this.context.db
      .prepare<unknown[], number>(`SELECT count(*) FROM (SELECT 1 FROM job_tags WHERE ${sql} LIMIT ?)`)
      .pluck();
    return (count.get(...values, limit) ?? 0) < limit;
  }
}

/** Whether the states that are asked for, if any, are true of dead jobs. */
function asksForDead({ terms }: JobQuery): boolean {
  return terms.every((term) => term.kind !== "state" || term.values.includes("dead") !== term.negated);
}

function exactTerm(terms: readonly JobTerm[], field: TextField): TextTerm | null {
  const term = terms.find((each) => each.kind === "text" && each.field === field && !each.negated);
  return term?.kind === "text" ? term : null;
}

/** Whether the order's index has the instants that the term is about next to one another. */
function isRangeOf(term: JobTerm, { column }: Order): boolean {
  return term.kind === "time" && !term.negated && TIME_COLUMNS[term.field] === column;
}

/** How many entries of the states' indexes must be read to find what the counters know of. */
function costOf(counts: LaneCounts): number {
  return counts.states.reduce((sum, state) => {
    // No index has these.
    if (state === "blocked") return Number.POSITIVE_INFINITY;
    return sum + (state === "pending" ? counts.matchingOf(state) : counts.totalOf(state));
  }, 0);
}
