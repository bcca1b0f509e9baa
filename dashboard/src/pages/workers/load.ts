import type { WorkerView } from "../../api/types.js";

/** Workers report every 10 s: one that has missed two reports has something. */
const SILENT_MS = 30_000;

export function isSilent({ seenAt }: Pick<WorkerView, "seenAt">, now: number): boolean {
  return now - Date.parse(seenAt) > SILENT_MS;
}

export interface Load {
  readonly running: number;
  readonly slots: number;
}

export function loadOf(workers: readonly Pick<WorkerView, "running" | "concurrency">[]): Load {
  return {
    running: workers.reduce((sum, { running }) => sum + running, 0),
    slots: workers.reduce((sum, { concurrency }) => sum + concurrency, 0),
  };
}

/** The share of a bar, from 0 to 1. A worker that takes fewer jobs than before may have more than its slots. */
export function shareOf({ running, slots }: Load): number {
  return slots <= 0 ? 0 : Math.min(1, Math.max(0, running / slots));
}
