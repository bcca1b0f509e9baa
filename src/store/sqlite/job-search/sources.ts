import type { TextTerm } from "../../../core/job-query/query.js";
import type { JobState } from "../../../core/states.js";
import { allOf, condition, type Condition } from "../../job-search/condition.js";
import type { Order } from "../../job-search/order.js";
import { oneOf } from "./one-of.js";

/**
 * Where candidates come from. The indexes are named in the statements: the order of a source is relied on,
 * and SQLite, which does not know how many rows are behind each, need not guess.
 */
export interface Source {
  /** What stands behind FROM. */
  readonly from: Condition;
  readonly where: Condition;
  /** The column that has the job's id in the order of the source. */
  readonly id: "jobs.id" | "job_tags.job_id" | "dead_jobs.job_id";
  /** The column that has the instant of the order, when it is another one than that of the job. */
  readonly instant: "dead_jobs.died_at" | null;
}

/** The whole table, in order of ids. */
export function allJobs(): Source {
  return {
    from: condition("jobs NOT INDEXED"),
    where: allOf([]),
    id: "jobs.id",
    instant: null,
  };
}

/** The jobs of one state, in the order of its index. */
export function orderedByState(
  { state, index }: NonNullable<Order["of"]>,
  ranges: readonly Condition[],
): Source {
  const where = allOf([condition(`jobs.state = '${state}'`), ...ranges]);
  return { from: condition(`jobs INDEXED BY ${index}`), where, id: "jobs.id", instant: null };
}

/** The jobs with one tag, in order of ids. */
export function orderedByTag({ values }: TextTerm): Source {
  return {
    from: condition("job_tags CROSS JOIN jobs ON jobs.id = job_tags.job_id"),
    where: oneOf("job_tags.tag", values),
    id: "job_tags.job_id",
    instant: null,
  };
}

/** The jobs of one flow, in order of ids. */
export function orderedByFlow({ values }: TextTerm): Source {
  return {
    from: condition("jobs INDEXED BY jobs_flow"),
    where: oneOf("jobs.flow_id", values.map(Number)),
    id: "jobs.id",
    instant: null,
  };
}

export function jobsWithTag({ values }: TextTerm, order: Order): Source {
  const { sql } = oneOf("tag", values);
  return chosen(condition(`SELECT DISTINCT job_id AS id FROM job_tags WHERE ${sql}`, ...values), order);
}

/** The dead jobs of one group, in order of ids or of when they died. */
export function orderedByGroup(groupId: number, order: Order): Source {
  const byId = order.column === "id";
  const index = byId ? "dead_jobs_group" : "dead_jobs_latest";
  return {
    from: condition(`dead_jobs INDEXED BY ${index} CROSS JOIN jobs ON jobs.id = dead_jobs.job_id`),
    where: condition("dead_jobs.group_id = ?", groupId),
    id: "dead_jobs.job_id",
    instant: byId ? null : "dead_jobs.died_at",
  };
}

/** The dead jobs of all groups that the condition is true of. */
export function jobsOfGroups(groups: Condition, order: Order): Source {
  const found = condition(
    `SELECT job_id AS id FROM dead_groups CROSS JOIN dead_jobs INDEXED BY dead_jobs_group
       ON dead_jobs.group_id = dead_groups.id WHERE ${groups.sql}`,
    ...groups.values,
  );
  return chosen(found, order);
}

/** The jobs with these ids, or these idempotency keys. */
export function jobsWithKey({ field, values }: TextTerm, order: Order): Source {
  if (field === "id") {
    const { sql } = oneOf("id", values);
    return chosen(condition(`SELECT id FROM jobs AS found WHERE ${sql}`, ...values.map(Number)), order);
  }
  const { sql } = oneOf("key", values);
  return chosen(condition(`SELECT job_id AS id FROM idempotency_keys WHERE ${sql}`, ...values), order);
}

/** All jobs of these states; of pending ones only those of the lanes, since their index has the lanes apart. */
export function jobsOfStates(states: readonly JobState[], lanes: Condition): Source {
  const parts = states.map((state) => {
    if (state !== "pending") {
      return condition(`SELECT id FROM jobs AS found INDEXED BY jobs_${state} WHERE state = '${state}'`);
    }
    const pending = (index: string, keys: string) =>
      `SELECT found.id FROM counts CROSS JOIN jobs AS found INDEXED BY ${index} ON found.state = 'pending'
         AND found.keys ${keys} AND found.queue = counts.queue AND found.name = counts.name
       WHERE counts.state = 'pending' AND counts.n > 0 AND ${lanes.sql}`;
    return condition(
      `${pending("jobs_pending", "IS NULL")} UNION ALL ${pending("jobs_pending_keyed", "IS NOT NULL")}`,
      ...lanes.values,
      ...lanes.values,
    );
  });
  const all = parts.map(({ sql }) => sql).join(" UNION ALL ");
  return chosen(condition(all, ...parts.flatMap(({ values }) => values)), null);
}

/** A few jobs, each of which is looked up by its id. CROSS JOIN keeps SQLite from walking `jobs` instead. */
function chosen({ sql, values }: Condition, order: Order | null): Source {
  return {
    from: condition(`(${sql}) AS chosen CROSS JOIN jobs ON jobs.id = chosen.id`, ...values),
    // Other states have no value to sort by.
    where: allOf(order?.of ? [condition(`jobs.state = '${order.of.state}'`)] : []),
    id: "jobs.id",
    instant: null,
  };
}
