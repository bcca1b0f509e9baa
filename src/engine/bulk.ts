import { eligible, type BulkAction } from "../core/bulk-action.js";
import { COUNT_CAP, MAX_REASON_LENGTH, SCAN_BUDGET_MS } from "../core/defaults.js";
import { KonveierError } from "../core/errors.js";
import type { Job } from "../core/job.js";
import { resolveTimes, type JobQuery } from "../core/job-query/query.js";
import { storableText } from "../core/storable-text.js";
import type { JobCount } from "../store/jobs.js";
import type { NewOperation, Operation } from "../store/operations.js";
import type { EngineContext } from "./context.js";

const SAMPLES = 5;

/** What a bulk action would do, before it does it. */
export interface BulkPreview {
  /** Relative times resolved, and only jobs that the action can be done to. */
  readonly query: JobQuery;
  readonly count: JobCount;
  readonly samples: readonly Job[];
  /** Jobs that come later are not meant. */
  readonly untilId: string;
}

/** @param queueGlobs only jobs of queues that match one of these; `null`: of all queues */
export async function previewBulk(
  { store }: EngineContext,
  action: BulkAction,
  asked: JobQuery,
  queueGlobs: readonly string[] | null,
): Promise<BulkPreview> {
  const untilId = await store.operations.lastJobId();
  const query = resolveTimes(eligible(action, asked), store.now());
  const count = await store.jobs.count(query, queueGlobs, COUNT_CAP, SCAN_BUDGET_MS);
  const { items: samples } = await store.jobs.search(query, queueGlobs, SAMPLES, null, SCAN_BUDGET_MS);
  return { query, count, samples, untilId };
}

/**
 * Starts what was previewed; the background loops of all processes carry it on, also after a restart. The same
 * preview starts it once, however often this is called.
 */
export async function startBulk(
  { store }: EngineContext,
  operation: NewOperation,
): Promise<{ readonly operation: Operation; readonly repeated: boolean }> {
  const { reason } = operation;
  const text = reason === null ? null : storableText(reason, MAX_REASON_LENGTH);
  return store.operations.start({ ...operation, reason: text });
}

/** Jobs that were changed already stay changed. @throws KonveierError `operation_not_found` */
export async function cancelBulk({ store }: EngineContext, id: string): Promise<Operation> {
  const operation = await store.operations.cancel(id);
  if (operation === null) throw operationNotFound(id);
  return operation;
}

export function operationNotFound(id: string): KonveierError {
  return new KonveierError("operation_not_found", `There is no operation ${JSON.stringify(id)}.`);
}
