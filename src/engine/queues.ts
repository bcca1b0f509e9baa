import { MAX_REASON_LENGTH } from "../core/defaults.js";
import { checkLimitsChange, type QueueLimitsChange } from "../core/queue-limits.js";
import { storableText } from "../core/storable-text.js";
import type { ExpectedVersion, Queue } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { changedMeanwhile } from "./changed-meanwhile.js";

/** No job of the queue is claimed until `resumeQueue`. A longer reason is cut. @throws KonveierError `etag_mismatch` */
export async function pauseQueue(
  { queues }: Store,
  name: string,
  reason: string | null,
  version: ExpectedVersion = null,
): Promise<Queue> {
  const text = reason === null ? null : storableText(reason, MAX_REASON_LENGTH);
  const queue = await queues.pause(name, text, version);
  if (queue === null) throw changedMeanwhile(`The queue ${name}`);
  return queue;
}

/** @throws KonveierError `etag_mismatch` */
export async function resumeQueue(
  { queues }: Store,
  name: string,
  version: ExpectedVersion = null,
): Promise<Queue> {
  const queue = await queues.resume(name, version);
  if (queue === null) throw changedMeanwhile(`The queue ${name}`);
  return queue;
}

/** Changes the limits of the queue, for all processes. @throws KonveierError `validation_failed`, `etag_mismatch` */
export async function limitQueue(
  { queues }: Store,
  name: string,
  change: QueueLimitsChange,
  version: ExpectedVersion = null,
): Promise<Queue> {
  checkLimitsChange(change);
  const queue = await queues.limit(name, change, version);
  if (queue === null) throw changedMeanwhile(`The queue ${name}`);
  return queue;
}
