import { KonveierError } from "../core/errors.js";
import { flowStateOf, type Flow, type FlowDetail, type FlowLink } from "../core/flow.js";
import type { OnFailure } from "../core/flow-request.js";
import { JOB_STATES, type JobState } from "../core/states.js";
import type { OpenDependencies, PageOfFlow } from "./flows.js";
import { rowId } from "./rows.js";

/** A row of `flows`. */
export interface FlowRow {
  readonly id: number;
  readonly name: string;
  readonly stage: "making" | "opening" | "open";
  readonly opened_to: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly jobs: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly fingerprint: string | null;
}

/** A row of `dependencies`, seen from one of its two jobs, with the other one. */
export interface LinkRow {
  /** Of the other one. */
  readonly id: number;
  readonly ref: string;
  readonly queue: string;
  readonly state: JobState;
  readonly on_failure: OnFailure;
  readonly resolved: number | boolean;
}

/** With how many there are in all. */
export interface OpenRow extends LinkRow {
  readonly n: number;
}

export interface StateCount {
  readonly state: JobState;
  readonly n: number;
}

export function toFlow(row: FlowRow): Flow {
  const { jobs, completed, dead, cancelled } = row;
  const counts = { jobs, completed, dead, cancelled };
  return {
    id: String(row.id),
    name: row.name,
    state: flowStateOf(counts),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    counts,
  };
}

export function toFlowDetail(row: FlowRow, counted: readonly StateCount[]): FlowDetail {
  const of = new Map(counted.map(({ state, n }) => [state, n]));
  const states = Object.fromEntries(JOB_STATES.map((state) => [state, of.get(state) ?? 0])) as Record<
    JobState,
    number
  >;
  const { blocked, scheduled, pending, running } = states;
  const stuck = row.stage === "open" && blocked > 0 && scheduled + pending + running === 0;
  return { ...toFlow(row), states, stuck };
}

export function toLink(row: LinkRow): FlowLink {
  return {
    id: String(row.id),
    ref: row.ref,
    queue: row.queue,
    state: row.state,
    onFailure: row.on_failure,
    resolved: Boolean(row.resolved),
  };
}

export function toOpenDependencies(rows: readonly OpenRow[]): OpenDependencies {
  return { count: rows[0]?.n ?? 0, first: rows.map(toLink) };
}

/** What follows from the counts of a flow, to be set after they have changed. `now` is SQL. */
export function finishFlow(now: string): string {
  const ended = "jobs = completed + dead + cancelled AND stage <> 'making'";
  return `finished_at = CASE WHEN ${ended} THEN coalesce(finished_at, ${now}) END,
    state = CASE WHEN NOT (${ended}) THEN 'running' WHEN dead > 0 THEN 'failed'
      WHEN cancelled > 0 THEN 'cancelled' ELSE 'completed' END`;
}

export function keyReused(key: string): KonveierError {
  return new KonveierError(
    "idempotency_key_reused",
    `The idempotency key ${JSON.stringify(key)} was used for a flow with another definition. Use a new key for a new flow.`,
  );
}

export function keyInUse(key: string): KonveierError {
  return new KonveierError(
    "store_busy",
    `The flow of the idempotency key ${JSON.stringify(key)} is being made by another call. Ask again in a moment.`,
  );
}

/** The row id behind which a page begins. */
export function afterId(after: string | null): number {
  return after === null ? 0 : (rowId(after) ?? 0);
}

/** @param rows one more than fit on the page, where there are more */
export function pageOf<Row extends { readonly id: number }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): PageOfFlow<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toItem),
    next: rows.length > limit && last !== undefined ? String(last.id) : null,
  };
}
