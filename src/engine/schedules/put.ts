import { validationError } from "../../core/job-request.js";
import { assertName } from "../../core/names.js";
import type { Instant } from "../../core/job.js";
import { fingerprint } from "../../core/fingerprint.js";
import type { Schedule, ScheduleDefinition, ScheduleSource, Slot, Timing } from "../../core/schedule.js";
import { zone } from "../../cron/zone.js";
import { changedMeanwhile } from "../changed-meanwhile.js";
import type { EngineContext } from "../context.js";
import { withJitter } from "./fire.js";
import { checkScheduleRequest, type ScheduleRequest } from "./request.js";
import { Slots } from "./slots.js";

export interface PutSchedule {
  readonly schedule: Schedule;
  readonly outcome: "created" | "updated" | "unchanged";
}

/**
 * Makes a schedule, or gives the one with this key a new definition. The first slot is the first one after
 * now: what lies in the past is not made up. As long as the timing stays the same the next slot does too,
 * so writing a schedule again at every start loses no slot that fell into the restart.
 *
 * @param expectedVersion what the caller has seen, 0 for none; `null`: whatever is there
 * @throws KonveierError `validation_failed`, `etag_mismatch`, `store_…`
 */
export async function putSchedule(
  context: EngineContext,
  key: string,
  request: ScheduleRequest,
  source: ScheduleSource,
  expectedVersion: number | null = null,
): Promise<PutSchedule> {
  checkKey(key);
  const definition = checkScheduleRequest(request);
  for (;;) {
    const before = await context.store.schedules.get(key);
    if (expectedVersion !== null && (before?.version ?? 0) !== expectedVersion) {
      throw changedMeanwhile(`The schedule ${key}`);
    }
    if (before !== null && before.source === source && isSame(before, definition)) {
      return { schedule: before, outcome: "unchanged" };
    }
    const schedule = await context.store.schedules.write({
      key,
      definition,
      source,
      next: before !== null && keepsSlots(before, definition) ? "keep" : newSlot(context, definition, before),
      expectedVersion: before?.version ?? 0,
    });
    // Somebody else wrote in between: look again.
    if (schedule !== null) return { schedule, outcome: before === null ? "created" : "updated" };
  }
}

/** @throws KonveierError `validation_failed` */
function checkKey(key: string): void {
  assertName("key", key);
  if (key !== "preview") return;
  const detail = "must be another word: over HTTP this address belongs to the preview";
  throw validationError([{ pointer: "/key", code: "invalid_name", detail }]);
}

/**
 * The first slot after now, and after the latest one that was fired: the clock may have stepped back since.
 *
 * @throws CronError, UnknownZoneError
 */
export function firstSlot(
  { store, random }: EngineContext,
  definition: ScheduleDefinition,
  lastSlot: Instant | null,
): Slot | null {
  const after = Math.max(store.now(), lastSlot ?? 0);
  return withJitter(new Slots(definition).after(after), definition.jitterMs, random);
}

/** @throws KonveierError `validation_failed` when there is none that only `endAt` keeps away */
function newSlot(
  context: EngineContext,
  definition: ScheduleDefinition,
  before: Schedule | null,
): Slot | null {
  const slot = firstSlot(context, definition, before?.lastSlot ?? null);
  if (slot !== null) return slot;
  if (firstSlot(context, { ...definition, endAt: null }, null) !== null) return null;
  const detail = `has no run before the year 10000 in the time zone ${definition.timezone}`;
  throw validationError([{ pointer: "/cron", code: "invalid_cron", detail }]);
}

function isSame(before: Schedule, definition: ScheduleDefinition): boolean {
  return before.problem === null && printOf(before) === printOf(definition);
}

function printOf(definition: ScheduleDefinition): string {
  const { job, missed, maxMissed, overlap, jitterMs } = definition;
  return fingerprint({ ...timingOf(definition), job, missed, maxMissed, overlap, jitterMs });
}

function keepsSlots(before: Schedule, definition: ScheduleDefinition): boolean {
  return before.problem === null && fingerprint(timingOf(before)) === fingerprint(timingOf(definition));
}

function timingOf({ cron, everyMs, timezone, startAt, endAt }: Timing): Timing {
  return { cron, everyMs, timezone: spelledHere(timezone), startAt, endAt };
}

/** Which of a zone's names counts changes with the version of Node. */
function spelledHere(timezone: string): string {
  try {
    return zone(timezone).name;
  } catch {
    return timezone;
  }
}
