import { EVERY_JOB, type JobQuery, type TextTerm } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import { allOf, type Condition } from "../../job-search/condition.js";
import { LaneCounts, type LaneCountRow } from "../../job-search/lane-counts.js";
import type { Order } from "../../job-search/order.js";
import { outlineOf, questionsOf, type Choice, type Facts } from "../../job-search/plan.js";
import type { Queryable } from "../connection.js";
import type { PostgresContext } from "../context.js";
import { numbered } from "./numbered.js";
import { Sources, type Source } from "./sources.js";
import { oneOf, storedText, TermConditions } from "./term-conditions.js";

/** How a query is answered. */
export interface Plan {
  readonly order: Order;
  /** Candidates, from an index. */
  readonly source: Source;
  /** What a token that is limited to some queues may know of candidates that do not match. */
  readonly covered: Condition;
  /** What each candidate is still asked. */
  readonly rest: Condition;
  readonly small: boolean;
  readonly sliced: boolean;
  /**
   * Whether the counters have said where to look. Only with the jobs of the same moment this is all: one that comes into
   * another state meanwhile would be missed.
   */
  readonly byCounters: boolean;
}

/** Finds out what a plan must know, and puts it into statements. */
export class Planner {
  readonly #terms;
  readonly #sources;

  constructor(private readonly context: Pick<PostgresContext, "s" | "clock" | "smallSet">) {
    this.#terms = new TermConditions(context.s);
    this.#sources = new Sources(context.s);
  }

  /** @returns `null` when the counters say that no job can match */
  async plan(
    db: Queryable,
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    order: Order,
  ): Promise<Plan | null> {
    const counts = await this.counts(db, query, queueGlobs);
    if (counts.matching === 0) return null;
    const questions = questionsOf(query, order);
    const groups =
      questions.fingerprint === null ? null : this.#groupConditions(query, queueGlobs, questions.fingerprint);
    const facts: Facts = {
      counts,
      groups: groups === null ? [] : await this.#groups(db, groups),
      tagged: questions.tag === null ? 0 : await this.#tagged(db, questions.tag),
      smallSet: this.context.smallSet,
    };
    const { choice, left, small, sliced } = outlineOf(query, queueGlobs, order, facts);
    // What relative times of the query are counted from.
    const now = this.context.clock.now();
    const rest = allOf([
      ...this.#terms.lanes(query, queueGlobs, "jobs"),
      ...left.map((term) => this.#terms.of(term, now, "jobs")),
    ]);
    return {
      order,
      source: this.#source(choice, query, queueGlobs, order, now, groups),
      covered: allOf(this.#terms.lanes(EVERY_JOB, queueGlobs, "jobs")),
      rest,
      small,
      sliced,
      byCounters: choice.by === "states",
    };
  }

  /** What the kept counters say. */
  async counts(db: Queryable, query: JobQuery, queueGlobs: readonly string[] | null): Promise<LaneCounts> {
    const { sql, values } = allOf(this.#terms.lanes(query, queueGlobs, "counts"));
    const text = `SELECT state, sum(n) AS total, coalesce(sum(n) FILTER (WHERE ${sql}), 0) AS matching
      FROM ${this.context.s}.counts GROUP BY state`;
    const { rows } = await db.query(numbered(text), values);
    return new LaneCounts(rows as LaneCountRow[]);
  }

  async #groups(db: Queryable, { sql, values }: Condition): Promise<{ id: number; n: number }[]> {
    const text = `SELECT id, n FROM ${this.context.s}.dead_groups WHERE ${sql} ORDER BY n DESC LIMIT ?`;
    const { rows } = await db.query(numbered(text), [...values, this.context.smallSet + 2]);
    return rows as { id: number; n: number }[];
  }

  async #tagged(db: Queryable, { values }: TextTerm): Promise<number> {
    const limit = this.context.smallSet + 1;
    // In the order of the index, so that it is read no further than to the limit.
    const text = `SELECT count(*) AS n FROM (
        SELECT 1 FROM unnest(?::text[]) AS asked (tag) CROSS JOIN LATERAL (
          SELECT 1 FROM ${this.context.s}.job_tags WHERE job_tags.tag = asked.tag ORDER BY job_id LIMIT ?
        ) AS job LIMIT ?
      ) AS tagged`;
    const { rows } = await db.query(numbered(text), [values.map(storedText), limit, limit]);
    return (rows as { n: number }[])[0]?.n ?? 0;
  }

  /** The groups that dead jobs with these fingerprints are in. */
  #groupConditions(query: JobQuery, queueGlobs: readonly string[] | null, { values }: TextTerm): Condition {
    const ofDead: JobQuery = { terms: query.terms.filter(({ kind }) => kind !== "state") };
    return allOf([
      oneOf("dead_groups.fingerprint", values),
      ...this.#terms.lanes(ofDead, queueGlobs, "dead_groups"),
    ]);
  }

  #source(
    choice: Choice,
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    order: Order,
    now: Instant,
    groups: Condition | null,
  ): Source {
    switch (choice.by) {
      case "keys":
        return this.#sources.jobsWithKey(choice.term, order);
      case "groups":
        return this.#sources.jobsOfGroups(groups ?? allOf([]), order);
      case "group":
        return this.#sources.orderedByGroup(choice.id, order);
      case "tags":
        return this.#sources.jobsWithTag(choice.term, order);
      case "tag":
        return this.#sources.orderedByTag(choice.term);
      case "state":
        return this.#sources.orderedByState(
          choice.state.state,
          choice.ranges.map((term) => this.#terms.of(term, now, "jobs")),
        );
      case "states": {
        const ofAnyState: JobQuery = { terms: query.terms.filter(({ kind }) => kind !== "state") };
        const lanes = allOf(this.#terms.lanes(ofAnyState, queueGlobs, "lanes"));
        return this.#sources.jobsOfStates(choice.states, lanes);
      }
      case "flow":
        return this.#sources.orderedByFlow(choice.term);
      case "id":
        return this.#sources.allJobs();
    }
  }
}
