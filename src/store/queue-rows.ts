import { JOB_STATES, type JobState } from "../core/states.js";
import { NO_LIMITS } from "../core/queue-limits.js";
import { limitsOfRow, type LimitColumns } from "./limit-rows.js";
import type { Queue } from "./queues.js";

/** A row of `queues`. */
export interface QueueRow extends LimitColumns {
  readonly name: string;
  readonly paused_at: number | null;
  readonly pause_reason: string | null;
  readonly held_until: number | null;
  readonly version: number;
}

export type CountRow = [queue: string, state: JobState, n: number];
export type OldestRow = [queue: string, runAt: number | null];

type QueueInWork = Omit<Queue, "counts"> & {
  readonly counts: Record<JobState, number>;
  oldestPendingAt: number | null;
};

/** A queue that nothing is known of. */
export function newQueue(name: string): QueueInWork {
  const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
  return {
    name,
    pausedAt: null,
    pauseReason: null,
    ...NO_LIMITS,
    heldUntil: null,
    counts,
    oldestPendingAt: null,
    version: 0,
  };
}

/** By name: queues that have a row, a counter or both. */
export function queuesOf(
  rows: readonly QueueRow[],
  counts: readonly CountRow[],
  oldest: readonly OldestRow[],
): Queue[] {
  const queues = new Map<string, QueueInWork>();
  const find = (name: string): QueueInWork => {
    let queue = queues.get(name);
    if (queue === undefined) {
      queue = newQueue(name);
      queues.set(name, queue);
    }
    return queue;
  };
  for (const row of rows) {
    queues.set(row.name, {
      ...newQueue(row.name),
      pausedAt: row.paused_at,
      pauseReason: row.pause_reason,
      ...limitsOfRow(row),
      heldUntil: row.held_until,
      version: row.version,
    });
  }
  for (const [name, state, n] of counts) find(name).counts[state] = n;
  for (const [name, runAt] of oldest) find(name).oldestPendingAt = runAt;
  return [...queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
