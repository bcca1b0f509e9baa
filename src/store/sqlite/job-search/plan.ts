import { EVERY_JOB, type JobQuery, type TextTerm } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import { allOf, type Condition } from "../../job-search/condition.js";
import type { Order } from "../../job-search/order.js";
import { outlineOf, questionsOf, type Choice, type Facts } from "../../job-search/plan.js";
import type { SqliteContext } from "../context.js";
import { oneOf } from "./one-of.js";
import { readLaneCounts } from "./read-lane-counts.js";
import {
  allJobs,
  jobsOfGroups,
  jobsOfStates,
  jobsWithKey,
  jobsWithTag,
  orderedByFlow,
  orderedByGroup,
  orderedByState,
  orderedByTag,
  type Source,
} from "./sources.js";
import { laneConditions, termCondition } from "./term-conditions.js";

/** See `Facts.smallSet`. */
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

/** Finds out what a plan must know, and puts it into statements. */
export class Planner {
  constructor(private readonly context: Pick<SqliteContext, "db" | "smallSet">) {}

  /**
   * @param now what relative times of the query are counted from
   * @returns `null` when the counters say that no job can match
   */
  plan(query: JobQuery, queueGlobs: readonly string[] | null, order: Order, now: Instant): Plan | null {
    const counts = readLaneCounts(this.context.db, laneConditions(query, queueGlobs, "counts"));
    if (counts.matching === 0) return null;
    const questions = questionsOf(query, order);
    const groups =
      questions.fingerprint === null ? null : groupConditions(query, queueGlobs, questions.fingerprint);
    const facts: Facts = {
      counts,
      groups: groups === null ? [] : this.#groups(groups),
      tagged: questions.tag === null ? 0 : this.#tagged(questions.tag),
      smallSet: this.context.smallSet,
    };
    const { choice, left, sliced } = outlineOf(query, queueGlobs, order, facts);
    const rest = allOf([
      ...laneConditions(query, queueGlobs, "jobs"),
      ...left.map((term) => termCondition(term, now, "jobs")),
    ]);
    const lanes = allOf(laneConditions(query, queueGlobs, "counts"));
    return {
      order,
      source: sourceOf(choice, order, now, groups, lanes),
      covered: laneConditions(EVERY_JOB, queueGlobs, "jobs"),
      rest,
      sliced,
    };
  }

  #groups(groups: Condition): { id: number; n: number }[] {
    return this.context.db
      .prepare<unknown[], { id: number; n: number }>(
        `SELECT id, n FROM dead_groups WHERE ${groups.sql} ORDER BY n DESC LIMIT ?`,
      )
      .all(...groups.values, this.context.smallSet + 2);
  }

  #tagged({ values }: TextTerm): number {
    const { sql } = oneOf("tag", values);
    const count = this.context.db
      .prepare<unknown[], number>(`SELECT count(*) FROM (SELECT 1 FROM job_tags WHERE ${sql} LIMIT ?)`)
      .pluck();
    return count.get(...values, this.context.smallSet + 1) ?? 0;
  }
}

/** The groups that dead jobs with these fingerprints are in. */
function groupConditions(
  query: JobQuery,
  queueGlobs: readonly string[] | null,
  { values }: TextTerm,
): Condition {
  const ofDead: JobQuery = { terms: query.terms.filter(({ kind }) => kind !== "state") };
  return allOf([
    oneOf("dead_groups.fingerprint", values),
    ...laneConditions(ofDead, queueGlobs, "dead_groups"),
  ]);
}

function sourceOf(
  choice: Choice,
  order: Order,
  now: Instant,
  groups: Condition | null,
  lanes: Condition,
): Source {
  switch (choice.by) {
    case "keys":
      return jobsWithKey(choice.term, order);
    case "groups":
      return jobsOfGroups(groups ?? allOf([]), order);
    case "group":
      return orderedByGroup(choice.id, order);
    case "tags":
      return jobsWithTag(choice.term, order);
    case "tag":
      return orderedByTag(choice.term);
    case "state":
      return orderedByState(
        choice.state,
        choice.ranges.map((term) => termCondition(term, now, "jobs")),
      );
    case "states":
      return jobsOfStates(choice.states, lanes);
    case "flow":
      return orderedByFlow(choice.term);
    case "id":
      return allJobs();
  }
}
