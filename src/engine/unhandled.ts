import type { Store } from "../store/store.js";
import type { WorkerRecord } from "../store/workers.js";
import { WORKER_TIMEOUT_MS } from "./worker-timeout.js";

export interface UnhandledName {
  readonly queue: string;
  readonly name: string;
  readonly pending: number;
}

/** Pending jobs whose queue and name no live worker serves. Nothing takes them; somebody should know. */
export async function unhandledNames(store: Store): Promise<readonly UnhandledName[]> {
  const [pending, workers] = await Promise.all([
    store.queues.pendingNames(),
    store.workers.list(WORKER_TIMEOUT_MS),
  ]);
  return pending.filter(({ queue, name }) => !workers.some((worker) => serves(worker, queue, name)));
}

/** Whether the worker takes jobs of this queue and name. */
export function serves(
  { queues, names }: Pick<WorkerRecord, "queues" | "names">,
  queue: string,
  name: string,
): boolean {
  return queues.includes(queue) && (names === null || names.includes(name));
}
