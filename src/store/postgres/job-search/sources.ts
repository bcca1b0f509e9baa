import type { TextTerm } from "../../../core/job-query/query.js";
import type { JobState } from "../../../core/states.js";
import { allOf, condition, type Condition } from "../../job-search/condition.js";
import type { Order } from "../../job-search/order.js";
import { oneOf, storedText } from "./term-conditions.js";

/**
 * Where candidates come from. Jobs are looked up by their ids in a subquery with OFFSET 0, which PostgreSQL neither
 * joins in another order nor by reading the whole table, whatever it believes about the number of rows.
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

export class Sources {
  constructor(private readonly s: string) {}

  /** The whole table, in order of ids. */
  allJobs(): Source {
    return this.#jobs(allOf([]));
  }

  /** The jobs of one state, in the order of its index. */
  orderedByState(state: JobState, ranges: readonly Condition[]): Source {
    return this.#jobs(allOf([condition(`jobs.state = '${state}'`), ...ranges]));
  }

  /** The jobs with one tag, in order of ids. */
  orderedByTag({ values }: TextTerm): Source {
    return {
      from: condition(`${this.s}.job_tags ${this.#jobOf("job_tags.job_id")}`),
      where: allOf(values.map((value) => condition("job_tags.tag = ?", storedText(value)))),
      id: "job_tags.job_id",
      instant: null,
    };
  }

  /** The jobs of one flow, in order of ids. */
  orderedByFlow({ values }: TextTerm): Source {
    return this.#jobs(allOf(values.map((value) => condition("jobs.flow_id = ?::bigint", Number(value)))));
  }

  jobsWithTag({ values }: TextTerm, order: Order): Source {
    const { sql, values: tags } = oneOf("tag", values);
    const found = condition(`SELECT DISTINCT job_id AS id FROM ${this.s}.job_tags WHERE ${sql}`, ...tags);
    return this.#chosen(found, order);
  }

  /** The dead jobs of one group, in order of ids or of when they died. */
  orderedByGroup(groupId: number, order: Order): Source {
    return {
      from: condition(`${this.s}.dead_jobs ${this.#jobOf("dead_jobs.job_id")}`),
      where: condition("dead_jobs.group_id = ?", groupId),
      id: "dead_jobs.job_id",
      instant: order.column === "id" ? null : "dead_jobs.died_at",
    };
  }

  /** The dead jobs of all groups that the condition is true of. */
  jobsOfGroups(groups: Condition, order: Order): Source {
    const found = condition(
      `SELECT job_id AS id FROM ${this.s}.dead_groups
       CROSS JOIN LATERAL (SELECT job_id FROM ${this.s}.dead_jobs WHERE group_id = dead_groups.id OFFSET 0) AS of_group
       WHERE ${groups.sql}`,
      ...groups.values,
    );
    return this.#chosen(found, order);
  }

  /** The jobs with these ids, or these idempotency keys. */
  jobsWithKey({ field, values }: TextTerm, order: Order): Source {
    if (field === "id") {
      const ids = values.map(Number);
      return this.#chosen(condition("SELECT DISTINCT id FROM unnest(?::bigint[]) AS asked (id)", ids), order);
    }
    const { sql, values: keys } = oneOf("key", values);
    return this.#chosen(
      condition(`SELECT job_id AS id FROM ${this.s}.idempotency_keys WHERE ${sql}`, ...keys),
      order,
    );
  }

  /** All jobs of these states; of pending ones only those of the lanes, since their index has the lanes apart. */
  jobsOfStates(states: readonly JobState[], lanes: Condition): Source {
    const { s } = this;
    const parts = states.map((state) => {
      if (state !== "pending") return condition(`SELECT id FROM ${s}.jobs WHERE state = '${state}'`);
      const pending = (keys: string) =>
        `SELECT found.id FROM (SELECT DISTINCT queue, name FROM ${s}.lanes WHERE ${lanes.sql}) AS lane
         CROSS JOIN LATERAL (
           SELECT id FROM ${s}.jobs
           WHERE state = 'pending' AND keys ${keys} AND queue = lane.queue AND name = lane.name OFFSET 0
         ) AS found`;
      return condition(
        `${pending("IS NULL")} UNION ALL ${pending("IS NOT NULL")}`,
        ...lanes.values,
        ...lanes.values,
      );
    });
    const all = parts.map(({ sql }) => sql).join(" UNION ALL ");
    return this.#chosen(condition(all, ...parts.flatMap(({ values }) => values)), null);
  }

  #jobs(where: Condition): Source {
    return { from: condition(`${this.s}.jobs`), where, id: "jobs.id", instant: null };
  }

  /** A few jobs, each of which is looked up by its id. */
  #chosen({ sql, values }: Condition, order: Order | null): Source {
    return {
      from: condition(`(${sql}) AS chosen ${this.#jobOf("chosen.id")}`, ...values),
      // Other states have no value to sort by.
      where: allOf(order?.of ? [condition(`jobs.state = '${order.of.state}'`)] : []),
      id: "jobs.id",
      instant: null,
    };
  }

  #jobOf(id: string): string {
    return `CROSS JOIN LATERAL (SELECT * FROM ${this.s}.jobs AS job WHERE job.id = ${id} OFFSET 0) AS jobs`;
  }
}
