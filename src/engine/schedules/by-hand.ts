import { MAX_REASON_LENGTH } from "../../core/defaults.js";
import { KonveierError } from "../../core/errors.js";
import type { Enqueued } from "../../core/job.js";
import type { Schedule } from "../../core/schedule.js";
import { changedMeanwhile } from "../changed-meanwhile.js";
import { storableText } from "../../core/storable-text.js";
import type { EngineContext } from "../context.js";
import { jobOfSlot } from "./job.js";
import { firstSlot } from "./put.js";

/** @throws KonveierError `schedule_not_found` */
export async function findSchedule({ store }: EngineContext, key: string): Promise<Schedule> {
  return (await store.schedules.get(key)) ?? notFound(key);
}

/** No slot fires until `resumeSchedule`. A longer reason is cut. @throws KonveierError `schedule_not_found` */
export async function pauseSchedule(
  { store }: EngineContext,
  key: string,
  reason: string | null,
): Promise<Schedule> {
  const text = reason === null ? null : storableText(reason, MAX_REASON_LENGTH);
  return (await store.schedules.pause(key, text)) ?? notFound(key);
}

/**
 * Goes on with the first slot after now: those of the pause are not made up. One that cannot be understood
 * any more says so in `problem`, as it would have at its next slot.
 *
 * @throws KonveierError `schedule_not_found`
 */
export async function resumeSchedule(context: EngineContext, key: string): Promise<Schedule> {
  for (;;) {
    const schedule = await findSchedule(context, key);
    if (schedule.pausedAt === null) return schedule;
    const { next, problem } = slotOrProblem(context, schedule);
    const resumed = await context.store.schedules.resume(key, schedule.version, next);
    if (resumed === null) continue;
    if (problem === null) return resumed;
    await context.store.schedules.stop(key, resumed.version, problem);
    return findSchedule(context, key);
  }
}

function slotOrProblem(context: EngineContext, schedule: Schedule) {
  try {
    return { next: firstSlot(context, schedule, schedule.lastSlot), problem: null };
  } catch (error) {
    return { next: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Makes a job now, also while the schedule is paused or a job of it runs. The next slot stays where it is.
 *
 * @throws KonveierError `schedule_not_found`
 */
export async function runSchedule(context: EngineContext, key: string): Promise<Enqueued> {
  const schedule = await findSchedule(context, key);
  const slot = context.store.now();
  const job = (await context.store.schedules.runNow(key, jobOfSlot(schedule, slot))) ?? notFound(key);
  if (!job.deduplicated) context.events.emit("schedule.fired", { key, slot, jobId: job.id });
  return job;
}

/**
 * With its history; jobs that it made stay.
 *
 * @param version what the caller has seen; `null`: whatever is there
 * @throws KonveierError `schedule_not_found`, `etag_mismatch`
 */
export async function deleteSchedule(
  { store }: EngineContext,
  key: string,
  version: number | null = null,
): Promise<void> {
  const outcome = await store.schedules.delete(key, version);
  if (outcome === "missing") notFound(key);
  if (outcome === "changed") throw changedMeanwhile(`The schedule ${key}`);
}

function notFound(key: string): never {
  throw scheduleNotFound(key);
}

export function scheduleNotFound(key: string): KonveierError {
  return new KonveierError("schedule_not_found", `There is no schedule with the key ${JSON.stringify(key)}.`);
}
