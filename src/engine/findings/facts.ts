import { setImmediate as nextTurn } from "node:timers/promises";
import type { Instant } from "../../core/job.js";
import type { Schedule } from "../../core/schedule.js";
import type { Operation } from "../../store/operations.js";
import type { Queue } from "../../store/queues.js";
import { STEP_MS, type DiskSpace, type StorageSize } from "../../store/stats.js";
import type { Store } from "../../store/store.js";
import type { WorkerRecord } from "../../store/workers.js";
import type { RollUps } from "../statistics/roll-ups.js";
import type { Sum } from "../statistics/sums.js";
import type { UnhandledName } from "../unhandled.js";
import { WORKER_TIMEOUT_MS } from "../worker-timeout.js";
import { RECENT_MS } from "./thresholds.js";

/** Workers that have been silent for longer are no news. */
const SILENT_FOR_MS = STEP_MS.hour;
const DAY_HOURS = 24;
/** Of schedules with a problem, of overdue ones, and of running operations. */
const MOST = 200;

/** All that the rules look at, read at one time. */
export interface Facts {
  readonly now: Instant;
  readonly queues: readonly Queue[];
  /** Pending jobs by queue and name. */
  readonly pending: readonly UnhandledName[];
  readonly workers: readonly WorkerRecord[];
  /** Heard of in the last hour, but not lately. */
  readonly silentWorkers: readonly WorkerRecord[];
  /** Attempts that ended in the last 15 minutes, by queue and name: `completed`, `failed`, `lost`. */
  readonly recent: readonly Sum[];
  /** Jobs that became `dead` in the last hour, by queue and name. */
  readonly lastHour: readonly Sum[];
  /** The same of the 24 hours of the clock before. */
  readonly dayBefore: readonly Sum[];
  readonly stoppedSchedules: readonly Schedule[];
  /** Not paused, with a slot that is due, the longest overdue first. */
  readonly dueSchedules: readonly Schedule[];
  readonly operations: readonly Operation[];
  readonly storage: readonly StorageSize[];
  /** `null`: not known. */
  readonly disk: DiskSpace | null;
}

/**
 * Kept counters and roll-ups only: the cost grows with queues, names, workers and schedules, not with jobs. Requests
 * have their turn in between.
 */
export async function readFacts(store: Store, rollUps: RollUps): Promise<Facts> {
  const now = store.now();
  const queues = await store.queues.list();
  await nextTurn();
  const pending = await store.queues.pendingNames();
  const workers = await store.workers.list(WORKER_TIMEOUT_MS + SILENT_FOR_MS);
  const isLive = ({ seenAt }: WorkerRecord): boolean => seenAt > now - WORKER_TIMEOUT_MS;
  const live = workers.filter(isLive);
  return {
    now,
    queues,
    pending,
    workers: live,
    silentWorkers: workers.filter((worker) => !isLive(worker) && !goesOn(worker, live)),
    ...(await readActivity(rollUps, now)),
    stoppedSchedules: await store.schedules.stopped(MOST),
    dueSchedules: await store.schedules.due(MOST),
    operations: await store.operations.running(MOST),
    storage: await store.stats.storage(),
    disk: await store.stats.disk(),
  };
}

/** Whether it lives with another token. Of more than the name, which a worker of other queues may have as well. */
function goesOn({ id, queues }: WorkerRecord, live: readonly WorkerRecord[]): boolean {
  return live.some((worker) => worker.id === id && queues.every((queue) => worker.queues.includes(queue)));
}

async function readActivity(
  rollUps: RollUps,
  now: Instant,
): Promise<Pick<Facts, "recent" | "lastHour" | "dayBefore">> {
  const minuteOf = (at: Instant): Instant => Math.floor(at / STEP_MS.minute) * STEP_MS.minute;
  const hourBegin = minuteOf(now - STEP_MS.hour);
  const dayEnd = Math.floor(hourBegin / STEP_MS.hour) * STEP_MS.hour;
  const dead = { events: ["dead"], kinds: [] } as const;
  const ended = { events: ["completed", "failed", "lost"], kinds: [] } as const;
  const minutes = { step: "minute", to: now + 1 } as const;
  const hours = { step: "hour", from: dayEnd - DAY_HOURS * STEP_MS.hour, to: dayEnd } as const;
  return {
    recent: await rollUps.sums({ ...minutes, from: minuteOf(now - RECENT_MS), ...ended }, "lanes"),
    lastHour: await rollUps.sums({ ...minutes, from: hourBegin, ...dead }, "lanes"),
    dayBefore: await rollUps.sums({ ...hours, ...dead }, "lanes"),
  };
}
