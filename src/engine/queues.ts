import { MAX_REASON_LENGTH } from "../core/defaults.js";
import { validationError } from "../core/job-request.js";
import { checkLimitsChange, type QueueEdit, type QueueLimitsChange } from "../core/queue-limits.js";
import { storableText } from "../core/storable-text.js";
import type { ExpectedVersion, Queue } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { changedMeanwhile } from "./changed-meanwhile.js";

/** No job of the queue is claimed until `resumeQueue`. A longer reason is cut. @throws KonveierError `etag_mismatch` */
export function pauseQueue(
  store: Store,
  name: string,
  reason: string | null,
  version: ExpectedVersion = null,
): Promise<Queue> {
  return editQueue(store, name, { paused: true, pauseReason: reason }, version);
}

/** @throws KonveierError `etag_mismatch` */
export function resumeQueue(store: Store, name: string, version: ExpectedVersion = null): Promise<Queue> {
  return editQueue(store, name, { paused: false }, version);
}

/**
 * Pauses or resumes a queue and changes its limits, all at once. What is left out stays.
 *
 * @throws KonveierError `etag_mismatch`, `validation_failed`
 */
export async function editQueue(
  { queues }: Store,
  name: string,
  { paused, pauseReason: reason = null, ...limits }: QueueEdit,
  version: ExpectedVersion = null,
): Promise<Queue> {
  checkEdit(paused, reason, limits);
  const pauseReason = reason === null ? null : storableText(reason, MAX_REASON_LENGTH);
  const queue = await queues.edit(name, { paused, pauseReason, ...limits }, version);
  if (queue === null) throw changedMeanwhile(`The queue ${name}`);
  return queue;
}

function checkEdit(paused: boolean | undefined, reason: string | null, limits: QueueLimitsChange): void {
  if (reason !== null && paused !== true) {
    const detail = "is only for a queue that is being paused";
    throw validationError([{ pointer: "/pauseReason", code: "conflict", detail }]);
  }
  if (paused === undefined && Object.values(limits).every((limit) => limit === undefined)) {
    throw validationError([{ pointer: "", code: "required", detail: "must name what is to be changed" }]);
  }
  checkLimitsChange(limits);
}
