import type { JobQuery } from "../../core/job-query/query.js";
import type { JobState } from "../../core/states.js";
import type { JobCursor } from "../jobs.js";
import { condition, type Condition } from "./condition.js";
import type { JobRow } from "../rows.js";

/** In which order jobs are listed; ties are broken by id in the same direction. */
export interface Order {
  readonly column: "id" | "run_at" | "finished_at";
  readonly direction: "ASC" | "DESC";
  /** The only state whose jobs have this order, with the index that has it; `null`: all jobs have it. */
  readonly of: { readonly state: JobState; readonly index: string } | null;
}

const NEWEST_FIRST: Order = { column: "id", direction: "DESC", of: null };
export const OLDEST_FIRST: Order = { column: "id", direction: "ASC", of: null };
export const FIRST_DEAD_FIRST: Order = {
  column: "finished_at",
  direction: "ASC",
  of: { state: "dead", index: "jobs_dead" },
};

function latestFinishedFirst(state: JobState, index: string): Order {
  return { column: "finished_at", direction: "DESC", of: { state, index } };
}

/** Each suits the index of its state, so a page costs the same however many jobs of other states there are. */
const ORDERS: Partial<Record<JobState, Order>> = {
  scheduled: { column: "run_at", direction: "ASC", of: { state: "scheduled", index: "jobs_scheduled" } },
  completed: latestFinishedFirst("completed", "jobs_completed"),
  dead: latestFinishedFirst("dead", "jobs_dead"),
  cancelled: latestFinishedFirst("cancelled", "jobs_cancelled"),
};

/** The order of a state when only that is asked for; otherwise newest first. */
export function orderOf(query: JobQuery): Order {
  for (const term of query.terms) {
    const [state, ...more] = term.kind === "state" && !term.negated ? term.values : [];
    if (state !== undefined && more.length === 0) return ORDERS[state] ?? NEWEST_FIRST;
  }
  return NEWEST_FIRST;
}

/** Where a job stands in an order. */
export interface Place extends JobCursor {
  /** What people read of the place: when the job was made, or the instant by which it is sorted. */
  readonly instant: number;
}

export function placeOf(row: JobRow, { column }: Order): Place {
  const sort = row[column] ?? 0;
  return { sort, id: String(row.id), instant: column === "id" ? row.created_at : sort };
}

/** The columns of a source that have the id and the instant of the order; `null`: the column of the job. */
interface Columns {
  readonly id: string;
  readonly instant: string | null;
}

/** Jobs behind a place in the order. */
export function behind(
  { column, direction }: Order,
  { id, instant }: Columns,
  { sort, id: at }: JobCursor,
): Condition {
  const past = direction === "ASC" ? ">" : "<";
  if (column === "id") return condition(`${id} ${past} ?`, Number(at));
  return condition(`(${instant ?? `jobs.${column}`}, ${id}) ${past} (?, ?)`, sort, Number(at));
}

/** Jobs up to a place in the order, and at it. */
export function upTo(
  { column, direction }: Order,
  { id, instant }: Columns,
  { sort, id: at }: JobCursor,
): Condition {
  const notPast = direction === "ASC" ? "<=" : ">=";
  if (column === "id") return condition(`${id} ${notPast} ?`, Number(at));
  return condition(`(${instant ?? `jobs.${column}`}, ${id}) ${notPast} (?, ?)`, sort, Number(at));
}
