import type { JobQuery, JobTerm } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import type { Connection } from "../connection.js";
import { allOf, condition, type Condition } from "./condition.js";
import { LaneCounts } from "./lane-counts.js";
import type { Order } from "./order.js";
import { allJobs, jobsOfStates, jobsWithKey, jobsWithTag, orderedByState, orderedByTag } from "./sources.js";
import type { Source } from "./sources.js";
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
  /** What each candidate is still asked. */
  readonly rest: Condition;
  /** Whether candidates may have to be looked at in vain, so many that it must be done in slices. */
  readonly sliced: boolean;
}

/**
 * Decides which index gives the candidates, by what the query asks and how many jobs there are.
 *
 * @param now what relative times of the query are counted from
 * @returns `null` when the counters say that no job can match
 */
export function planOf(
  db: Connection,
  query: JobQuery,
  queueGlobs: readonly string[] | null,
  order: Order,
  now: Instant,
): Plan | null {
  const counts = new LaneCounts(db, laneConditions(query, queueGlobs, "counts"));
  if (counts.matching === 0) return null;
  const others = query.terms.filter((term) => !isLaneTerm(term));
  const { source, answers } = chooseSource(db, query, queueGlobs, order, counts, now);
  const left = others.filter((term) => !answers.includes(term));
  const lanes = laneConditions(query, queueGlobs, "jobs");
  const sliced = source.small
    ? left.some(readsMore)
    : left.length > 0 || !counts.holdForAll(order.of?.state ?? null);
  const rest = allOf([...lanes, ...left.map((term) => termCondition(term, now, "jobs"))]);
  return { order, source, rest, sliced };
}

interface Choice {
  readonly source: Source;
  /** Terms that are true of all candidates. */
  readonly answers: readonly JobTerm[];
}

function chooseSource(
  db: Connection,
  { terms }: JobQuery,
  queueGlobs: readonly string[] | null,
  order: Order,
  counts: LaneCounts,
  now: Instant,
): Choice {
  const exact = new Map(terms.filter(isExact).map((term) => [term.field, term]));
  const byKey = exact.get("id") ?? exact.get("key");
  if (byKey !== undefined) return { source: jobsWithKey(byKey, order), answers: [byKey] };

  const byTag = exact.get("tag");
  if (byTag !== undefined) {
    if (hasAtMost(db, byTag.values, SMALL_SET))
      return { source: jobsWithTag(byTag, order), answers: [byTag] };
    if (order.of === null && byTag.values.length === 1) {
      return { source: orderedByTag(byTag), answers: [byTag] };
    }
  }
  if (order.of !== null) {
    const ranges = terms.filter((term) => isRangeOf(term, order));
    const conditions = ranges.map((term) => termCondition(term, now, "jobs"));
    const small = counts.totalOf(order.of.state) <= SMALL_SET;
    return { source: orderedByState(order.of, conditions, small), answers: ranges };
  }
  if (terms.length === 0 && queueGlobs === null) return { source: allJobs(), answers: [] };
  const lanes = allOf(laneConditions({ terms }, queueGlobs, "counts"));
  const source = costOf(counts) <= SMALL_SET ? jobsOfStates(counts.states, lanes) : allJobs();
  return { source, answers: [] };
}

function isExact(term: JobTerm): term is Extract<JobTerm, { kind: "text" }> {
  return term.kind === "text" && !term.negated;
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

function hasAtMost(db: Connection, tags: readonly string[], limit: number): boolean {
  const places = tags.map(() => "?").join(", ");
  const { sql, values } = condition(
    `SELECT count(*) FROM (SELECT 1 FROM job_tags WHERE tag IN (${places}) LIMIT ?)`,
    ...tags,
    limit + 1,
  );
  return (
    (db
      .prepare<unknown[], number>(sql)
      .pluck()
      .get(...values) ?? 0) <= limit
  );
}
