import type { Instant } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import type { JobCursor, JobFilter, JobPage } from "../jobs.js";
import type { Connection } from "./connection.js";
import { toJob, type JobRow } from "./rows.js";

interface Order {
  /** Column of the sort value; ties are broken by id in the same direction. */
  readonly column: "id" | "run_at" | "finished_at";
  readonly direction: "ASC" | "DESC";
  /**
   * What to sort by, where that must not be the column itself: a unary plus keeps SQLite from walking the
   * whole table in order of ids, and lets it sort the few jobs that the index of the state gives.
   */
  readonly expression?: string;
}

const NEWEST_FIRST: Order = { column: "id", direction: "DESC" };
const LATEST_FINISHED_FIRST: Order = { column: "finished_at", direction: "DESC" };

/** Each order suits an index of its state, so a page costs the same however many jobs of other states there are. */
const ORDERS: Partial<Record<JobState, Order>> = {
  scheduled: { column: "run_at", direction: "ASC" },
  running: { column: "id", direction: "DESC", expression: "+jobs.id" },
  completed: LATEST_FINISHED_FIRST,
  dead: LATEST_FINISHED_FIRST,
  cancelled: LATEST_FINISHED_FIRST,
};

/** Pages through jobs by keyset: a job that exists during the whole walk is shown once, whatever else changes. */
export class JobList {
  constructor(private readonly db: Connection) {}

  page(filter: JobFilter, limit: number, after: JobCursor | null): JobPage {
    const order = (filter.state && ORDERS[filter.state]) ?? NEWEST_FIRST;
    const sort = order.expression ?? `jobs.${order.column}`;
    const { conditions, values } = conditionsOf(filter);
    if (after !== null) {
      const past = order.direction === "ASC" ? ">" : "<";
      conditions.push(`(${sort}, jobs.id) ${past} (?, ?)`);
      values.push(after.sort, Number(after.id));
    }
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const rows = this.db
      .prepare<unknown[], JobRow>(
        `SELECT jobs.* FROM ${tablesOf(filter)}
         ${where} ORDER BY ${sort} ${order.direction}, jobs.id ${order.direction} LIMIT ?`,
      )
      .all(...values, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const more = rows.length > limit && last !== undefined;
    return {
      items: page.map(toJob),
      next: more ? { sort: last[order.column] ?? 0, id: String(last.id) } : null,
    };
  }

  /** Ids of the jobs that match and were dead at the instant `by`, oldest first. */
  deadBy(filter: Omit<JobFilter, "state">, by: Instant, limit: number): string[] {
    const { conditions, values } = conditionsOf({ ...filter, state: "dead" });
    return this.db
      .prepare<unknown[], number>(
        `SELECT jobs.id FROM ${tablesOf(filter)}
         WHERE ${conditions.join(" AND ")} AND jobs.finished_at <= ?
         ORDER BY jobs.finished_at, jobs.id LIMIT ?`,
      )
      .pluck()
      .all(...values, by, limit)
      .map(String);
  }
}

function tablesOf({ tag }: JobFilter): string {
  return tag === undefined ? "jobs" : "job_tags JOIN jobs ON jobs.id = job_tags.job_id";
}

function conditionsOf(filter: JobFilter): { conditions: string[]; values: unknown[] } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  if (filter.tag !== undefined) {
    conditions.push("job_tags.tag = ?");
    values.push(filter.tag);
  }
  // A literal, since only then SQLite takes the partial index of the state; the type allows no other text.
  if (filter.state !== undefined) conditions.push(`jobs.state = '${filter.state}'`);
  if (filter.queue !== undefined) {
    conditions.push("jobs.queue = ?");
    values.push(filter.queue);
  }
  if (filter.name !== undefined) {
    conditions.push("jobs.name = ?");
    values.push(filter.name);
  }
  return { conditions, values };
}
