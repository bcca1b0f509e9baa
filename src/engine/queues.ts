import { MAX_REASON_LENGTH } from "../core/defaults.js";
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
