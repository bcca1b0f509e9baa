import type { JobView, WorkerView } from "../api/types.js";

/** What workers are chosen by. */
export type JobKind = Pick<JobView, "queue" | "name">;

/** The kinds among these jobs that no live worker takes, each once. Their jobs wait until one does. */
export function unservedKinds(
  jobs: readonly JobKind[],
  workers: readonly Pick<WorkerView, "queues" | "names">[],
): readonly JobKind[] {
  const kinds = new Map(jobs.map(({ queue, name }) => [JSON.stringify([queue, name]), { queue, name }]));
  return [...kinds.values()].filter(
    ({ queue, name }) =>
      !workers.some(
        ({ queues, names }) => queues.includes(queue) && (names === null || mayTake(names, name)),
      ),
  );
}

/** Without any name, the server does not tell which: the token may not see all queues of the worker. */
function mayTake(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}
