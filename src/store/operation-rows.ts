import type { BulkAction } from "../core/bulk-action.js";
import type { JobQuery } from "../core/job-query/query.js";
import { rowId } from "./rows.js";
import type { NewOperation, Operation, OperationState } from "./operations.js";

/** A row of `operations`. */
export interface OperationRow {
  readonly id: number;
  readonly action: BulkAction;
  readonly query: string;
  readonly queue_globs: string | null;
  readonly per_second: number;
  readonly reason: string | null;
  readonly state: OperationState;
  readonly after_id: number;
  readonly until_id: number;
  readonly matched: number;
  readonly changed: number;
  readonly next_at: number;
  readonly created_at: number;
  readonly created_by: string;
  readonly finished_at: number | null;
}

/** Short, so that enqueues and claims never wait long behind a step. */
const STEPS_PER_SECOND = 10;
const MAX_STEP = 500;
/** Rows that one step looks at in vain. Fewer where that takes more than about ten milliseconds. */
export const MAX_EXAMINED = 5_000;

/** Jobs that one step changes at the most. */
export function stepSize(row: OperationRow): number {
  return Math.min(Math.ceil(row.per_second / STEPS_PER_SECOND), MAX_STEP);
}

/** How long nothing may be changed after so many changes. */
export function restAfter(row: OperationRow, changed: number): number {
  return Math.ceil((changed * 1_000) / row.per_second);
}

/** An operation as it is written. */
export function columnsOf(operation: NewOperation) {
  const { preview, action, query, queueGlobs, perSecond, reason, untilId, matched, createdBy } = operation;
  return {
    preview,
    action,
    query: JSON.stringify(query),
    queueGlobs: queueGlobs === null ? null : JSON.stringify(queueGlobs),
    perSecond,
    reason,
    untilId: rowId(untilId) ?? 0,
    matched,
    createdBy,
  };
}

export function toOperation(row: OperationRow): Operation {
  return {
    id: String(row.id),
    action: row.action,
    query: JSON.parse(row.query) as JobQuery,
    queueGlobs: row.queue_globs === null ? null : (JSON.parse(row.queue_globs) as string[]),
    perSecond: row.per_second,
    reason: row.reason,
    state: row.state,
    matched: row.matched,
    changed: row.changed,
    createdAt: row.created_at,
    createdBy: row.created_by,
    finishedAt: row.finished_at,
  };
}
