import { MISSED_AFTER_MS } from "../../core/defaults.js";
import { isStoreError } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import type { Schedule, Slot } from "../../core/schedule.js";
import type { Fired, Firing } from "../../store/schedules.js";
import type { EngineContext } from "../context.js";
import { jobOfSlot } from "./job.js";
import { Slots } from "./slots.js";

const BATCH = 200;
/** A schedule may catch up with a thousand slots: so many jobs are made before others have their turn. */
const JOBS_AT_ONCE = 500;

/** When a slot is to be fired: with jitter, at random up to that much later. */
export function withJitter(slot: Instant | null, jitterMs: number, random: () => number): Slot | null {
  return slot === null ? null : { slot, at: slot + Math.floor(random() * jitterMs) };
}

/**
 * Fires the slots that are due, by the store's clock. The next slot is found from the slot before, never
 * from the clock: a timer that is early or late, and a clock that steps, change nothing about it.
 *
 * @returns whether there may be more
 */
export async function fireDue(context: EngineContext, limit = BATCH): Promise<boolean> {
  const due = await context.store.schedules.due(limit);
  if (due.length === 0) return false;
  const now = context.store.now();
  let firings: Firing[] = [];
  let jobs = 0;
  for (const schedule of due) {
    const firing = await attempt(context, schedule, () => firingOf(schedule, now, context.random));
    if (firing === null) continue;
    firings.push(firing);
    jobs += firing.jobs.length;
    if (jobs < JOBS_AT_ONCE) continue;
    await fire(context, firings);
    firings = [];
    jobs = 0;
  }
  await fire(context, firings);
  return due.length === limit;
}

async function fire(context: EngineContext, firings: readonly Firing[]): Promise<void> {
  const results = await context.store.schedules.fire(firings);
  for (const [index, { key, missed }] of firings.entries()) {
    const fired = results[index] ?? null;
    if (fired === null) continue;
    if (missed !== null) context.events.emit("schedule.missed", { key, ...missed });
    for (const one of fired) tellFired(context, one);
  }
}

function tellFired({ events }: EngineContext, { key, slot, outcome, jobId }: Fired): void {
  if (jobId !== null) events.emit("schedule.fired", { key, slot, jobId });
  else if (outcome === "skipped") events.emit("schedule.skipped", { key, slot });
}

/** Fires slots that waited for a job of their schedule to end. */
export async function fireWaiting(context: EngineContext, limit = BATCH): Promise<void> {
  for (const schedule of await context.store.schedules.unblocked(limit)) {
    const { key, waitingSlot } = schedule;
    if (waitingSlot === null) continue;
    const fired = await attempt(context, schedule, () =>
      context.store.schedules.fireWaiting(key, jobOfSlot(schedule, waitingSlot)),
    );
    if (fired !== null) tellFired(context, fired);
  }
}

/** What becomes of a schedule whose next slot is due at `now`. */
export function firingOf(schedule: Schedule, now: Instant, random: () => number): Firing {
  const { key, version, next, missed, maxMissed, overlap, jitterMs } = schedule;
  if (next === null) throw new Error(`Schedule ${key} has no next slot`);
  const slots = new Slots(schedule);
  // Later slots that passed while this one waited for its jitter were not missed: each has its own turn.
  const onTime = jitterMs > 0 && now - next.at <= jitterMs;
  const latest = onTime ? next.slot : (slots.latest(next.slot, now) ?? next.slot);
  const late = now - (latest + jitterMs);

  let fired: Instant[];
  if (missed === "all") fired = slots.latestMany(next.slot, latest, maxMissed);
  else if (missed === "skip" && late > MISSED_AFTER_MS) fired = [];
  else fired = [latest];
  const oldest = fired[0];
  const through = oldest === undefined ? latest : slots.latest(next.slot, oldest - 1);

  return {
    key,
    version,
    slot: next.slot,
    delayMs: next.at - next.slot,
    last: latest,
    next: withJitter(slots.after(latest), jitterMs, random),
    missed: through === null ? null : { from: next.slot, through },
    jobs: fired.map((slot) => jobOfSlot(schedule, slot)),
    overlap,
  };
}

/** A schedule that cannot be understood any more must not keep the others from firing. */
async function attempt<T>(
  context: EngineContext,
  schedule: Schedule,
  work: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isStoreError(error)) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    if (await context.store.schedules.stop(schedule.key, schedule.version, problem)) {
      context.events.emit("schedule.stopped", { key: schedule.key, problem });
    }
    return null;
  }
}
