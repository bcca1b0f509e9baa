import type { OperationView } from "../../api/operation.js";
import { formatInstant } from "../../core/instant.js";
import { printJobQuery } from "../../core/job-query/print.js";
import type { Operation } from "../../store/operations.js";
import { instantOrNull } from "./job.js";

export function operationView(operation: Operation): OperationView {
  const { id, action, state, perSecond, reason, matched, changed, createdBy } = operation;
  return {
    id,
    action,
    q: printJobQuery(operation.query),
    queues: operation.queueGlobs === null ? null : [...operation.queueGlobs],
    state,
    perSecond,
    reason,
    matched,
    changed,
    createdAt: formatInstant(operation.createdAt),
    createdBy,
    finishedAt: instantOrNull(operation.finishedAt),
  };
}
