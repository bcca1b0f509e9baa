import { useEffect, useSyncExternalStore } from "react";
import { useQueuesQuery } from "../api/queries.js";

/**
 * Whether the first steps are shown. What a server has had can be told by its queues, which come with their first job.
 * Once shown they stay, on every page that shows them, until the reader has seen enough: a page that changes by itself
 * would take the text away that somebody is reading.
 */
type FirstRunState = "unknown" | "shown" | "over";

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

export function endFirstRun(): void {
  set("over");
}

export function useFirstRun(): FirstRunState {
  const { data: queues, error } = useQueuesQuery();
  const known = useSyncExternalStore(subscribe, () => state);
  useEffect(() => {
    if (state === "unknown" && queues !== undefined) set(queues.items.length === 0 ? "shown" : "over");
  }, [queues]);
  // Whoever may not see the queues must not wait for them.
  return known === "unknown" && error !== null ? "over" : known;
}
