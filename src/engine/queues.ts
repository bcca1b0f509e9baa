import { MAX_REASON_LENGTH } from "../core/defaults.js";
import { ON_FULL } from "../core/queue-limits.js";
import { storableText } from "../core/storable-text.js";
import type { ExpectedVersion, Queue, QueueEdit } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { MAX_QUEUE_LENGTH } from "../core/defaults.js";
import type { Fault } from "../core/errors.js";
import { validationError } from "../core/job-request.js";
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
  edit: QueueEdit,
  version: ExpectedVersion = null,
): Promise<Queue> {
  checkLimits(edit);
  const reason = edit.pauseReason ?? null;
  const pauseReason = reason === null ? null : storableText(reason, MAX_REASON_LENGTH);
  const queue = await queues.edit(name, { ...edit, pauseReason }, version);
  if (queue === null) throw changedMeanwhile(`The queue ${name}`);
  return queue;
}

function checkLimits({ maxLength = null, onFull = "refuse" }: QueueEdit): void {
  const faults: Fault[] = [];
  if (
    maxLength !== null &&
    !(Number.isSafeInteger(maxLength) && maxLength >= 0 && maxLength <= MAX_QUEUE_LENGTH)
  ) {
    const detail = `must be null or a whole number from 0 to ${MAX_QUEUE_LENGTH}`;
    faults.push({ pointer: "/maxLength", code: "out_of_range", detail });
  }
  if (!ON_FULL.includes(onFull)) {
    const detail = `must be ${ON_FULL.map((one) => `"${one}"`).join(" or ")}`;
    faults.push({ pointer: "/onFull", code: "unknown_value", detail });
  }
  if (faults.length > 0) throw validationError(faults);
}
