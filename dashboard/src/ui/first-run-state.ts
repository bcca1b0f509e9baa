import { useEffect, useSyncExternalStore } from "react";
import { useQueuesQuery } from "../api/queries.js";
import type { QueueView } from "../api/types.js";

/**
 * Whether the first steps are shown: until a worker has ever taken a job, so that whoever comes back between enqueuing
 * and working finds the worker's code again.
 * Once shown they stay, on every page that shows them, until the reader has seen enough: a page that changes by itself
 * would take the text away that somebody is reading.
 */
type FirstRunState = "unknown" | "shown" | "over";

/** Whoever has enqueued more knows how it goes. */
const FEW = 3;

let state: FirstRunState = "unknown";
const listeners = new Set<() => void>();

function set(next: FirstRunState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** There are a few jobs that wait, at the most, and no worker has begun with one. */
function isNew(queues: readonly QueueView[]): boolean {
  const pending = queues.reduce((sum, { counts }) => sum + counts.pending, 0);
  const all = queues.reduce((sum, { counts }) => sum + Object.values(counts).reduce((a, b) => a + b, 0), 0);
  return all === pending && pending <= FEW && queues.every(({ pausedAt }) => pausedAt === null);
}

export function endFirstRun(): void {
  set("over");
}

export function useFirstRun(): FirstRunState {
  const { data: queues, error } = useQueuesQuery();
  const known = useSyncExternalStore(subscribe, () => state);
  useEffect(() => {
    if (state === "unknown" && queues !== undefined) set(isNew(queues.items) ? "shown" : "over");
  }, [queues]);
  // Whoever may not see the queues must not wait for them.
  return known === "unknown" && error !== null ? "over" : known;
}
