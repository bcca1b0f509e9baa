import { setImmediate } from "node:timers/promises";
import type { Instant } from "../../core/job.js";
import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import type { Queue } from "../../store/queues.js";
import type { LaneTotal, ScheduleTotal, StorageSize, Upkeep } from "../../store/stats.js";
import type { Store } from "../../store/store.js";
import type { WorkerRecord } from "../../store/workers.js";

/** All that the metrics say about the database, read at one time. */
export interface Reading {
  readonly now: Instant;
  readonly totals: readonly LaneTotal[];
  readonly queues: readonly Queue[];
  readonly workers: readonly WorkerRecord[];
  readonly schedules: readonly ScheduleTotal[];
  readonly storage: readonly StorageSize[];
  readonly upkeep: Upkeep | null;
}

/**
 * Six reads, whatever the number of jobs: each grows with the queues, names, workers and schedules alone.
 * Requests have their turn in between.
 */
export async function read(store: Store): Promise<Reading> {
  const totals = await store.stats.totals();
  await setImmediate();
  const queues = await store.queues.list();
  await setImmediate();
  const workers = await store.workers.list(WORKER_TIMEOUT_MS);
  const schedules = await store.stats.schedules();
  const storage = await store.stats.storage();
  const upkeep = await store.stats.upkeep();
  await setImmediate();
  return { now: store.now(), totals, queues, workers, schedules, storage, upkeep };
}
