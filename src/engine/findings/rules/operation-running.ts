import type { BulkAction } from "../../../core/bulk-action.js";
import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";

type OperationRunning = FindingOf<
  "operation_running",
  { operation: string; action: BulkAction; changed: number; matched: number }
>;

/** Many jobs are being changed. */
export function operationRunning({ operations }: Facts): OperationRunning[] {
  return operations.map(({ id, action, changed, matched, createdAt, createdBy }) => ({
    code: "operation_running",
    severity: "info",
    since: createdAt,
    detail: `The operation ${id} (${action}) has changed ${changed} of about ${Math.max(matched, changed)} jobs.`,
    audience: { startedBy: createdBy },
    operation: id,
    action,
    changed,
    matched,
  }));
}
