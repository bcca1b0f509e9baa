import { JOB_STATES, type JobState } from "../core/states.js";
import type { OnFull } from "../core/queue-limits.js";
import type { Queue, QueueEdit } from "./queues.js";

/** A row of `queues`. */
export interface QueueRow {
  readonly name: string;
  readonly paused_at: number | null;
  readonly pause_reason: string | null;
  readonly version: number;
  readonly max_length: number | null;
  readonly on_full: OnFull;
}

/** Limits of a row after an edit; `null` when it leaves them as they are. */
export function editedLimits(
  row: QueueRow | undefined,
  { maxLength, onFull }: QueueEdit,
): Pick<QueueRow, "max_length" | "on_full"> | null {
  const before = { max_length: row?.max_length ?? null, on_full: row?.on_full ?? DEFAULT_ON_FULL };
  const after = {
    max_length: maxLength === undefined ? before.max_length : maxLength,
    on_full: onFull ?? before.on_full,
  };
  return after.max_length === before.max_length && after.on_full === before.on_full ? null : after;
}

const DEFAULT_ON_FULL: OnFull = "refuse";

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
    maxLength: null,
    onFull: DEFAULT_ON_FULL,
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
  for (const { name, paused_at, pause_reason, version, max_length, on_full } of rows) {
    queues.set(name, {
      ...newQueue(name),
      pausedAt: paused_at,
      pauseReason: pause_reason,
      maxLength: max_length,
      onFull: on_full,
      version,
    });
  }
  for (const [name, state, n] of counts) find(name).counts[state] = n;
  for (const [name, runAt] of oldest) find(name).oldestPendingAt = runAt;
  return [...queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
