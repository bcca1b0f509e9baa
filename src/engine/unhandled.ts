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
  return unhandledOf(pending, workers);
}

/** Those of the pending jobs that none of the workers serves. */
export function unhandledOf(
  pending: readonly UnhandledName[],
  workers: readonly WorkerRecord[],
): readonly UnhandledName[] {
  const served = namesByQueue(workers);
  return pending.filter(
    ({ queue, name }) => served.get(queue)?.some((names) => names === null || names.has(name)) !== true,
  );
}

/** Whether the worker takes jobs of this queue and name. */
export function serves(
  { queues, names }: Pick<WorkerRecord, "queues" | "names">,
  queue: string,
  name: string,
): boolean {
  return queues.includes(queue) && (names === null || names.includes(name));
}

type Names = ReadonlySet<string> | null;

/** What is served of each queue, one entry for each worker; `null`: all names. */
function namesByQueue(workers: readonly WorkerRecord[]): Map<string, Names[]> {
  const served = new Map<string, Names[]>();
  for (const { queues, names: list } of workers) {
    const names = list === null ? null : new Set(list);
    for (const queue of queues) {
      const known = served.get(queue);
      if (known === undefined) served.set(queue, [names]);
      else known.push(names);
    }
  }
  return served;
}
