import {
  DEFAULT_MAX_MISSED,
  DEFAULT_TIMEZONE,
  MAX_EVERY_MS,
  MAX_JITTER_MS,
  MAX_MAX_MISSED,
  MIN_EVERY_MS,
} from "../../core/defaults.js";
import { KonveierError, type Fault } from "../../core/errors.js";
import { parseInstant, type InstantInput } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import {
  checkJobRequest,
  validationError,
  type JobRequest,
  type JobSettings,
} from "../../core/job-request.js";
import { keysText } from "../../core/job-keys.js";
import { pointerPart } from "../../core/json-pointer.js";
import { nearestName } from "../../core/nearest-name.js";
import { encodeJson } from "../../core/payload.js";
import {
  MISSED_POLICIES,
  OVERLAP_POLICIES,
  type JobTemplate,
  type MissedPolicy,
  type OverlapPolicy,
  type ScheduleDefinition,
} from "../../core/schedule.js";
import { CronError } from "../../cron/cron-error.js";
import { parseCron } from "../../cron/parse.js";
import { UnknownZoneError, zone } from "../../cron/zone.js";
import { Slots } from "./slots.js";

/** Settings of the jobs of a schedule. When they run is the schedule's business. */
export type ScheduledJobSettings = Omit<JobSettings, "delayMs" | "runAt" | "idempotencyKey" | "expiresAt">;

export interface ScheduledJobRequest extends ScheduledJobSettings {
  readonly name: string;
  readonly payload?: unknown;
}

export interface ScheduleRequest {
  /** Five fields, six with seconds in front, or `@daily` and the like. Excludes `everyMs`. */
  readonly cron?: string | undefined;
  /** Interval, 1 s to 366 days, of real time whatever the clocks do. Excludes `cron`. */
  readonly everyMs?: number | undefined;
  /** IANA name. Default `UTC`. */
  readonly timezone?: string | undefined;
  readonly job: ScheduledJobRequest;
  /** Default `once`. */
  readonly missed?: MissedPolicy | undefined;
  /** Jobs at the most for slots that passed, with `missed: "all"`: 1 to 1000. Default 100. */
  readonly maxMissed?: number | undefined;
  /** Default `allow`. */
  readonly overlap?: OverlapPolicy | undefined;
  readonly startAt?: InstantInput | undefined;
  readonly endAt?: InstantInput | undefined;
  /** Default 0. */
  readonly jitterMs?: number | undefined;
}

/** Compile-time proof that the list is complete. */
const FIELDS: Readonly<Record<keyof ScheduleRequest, true>> = {
  cron: true,
  everyMs: true,
  timezone: true,
  job: true,
  missed: true,
  maxMissed: true,
  overlap: true,
  startAt: true,
  endAt: true,
  jitterMs: true,
};

type Faults = Fault[];

/**
 * Checks a schedule against the rules, all of them, and fills in the defaults.
 *
 * @throws KonveierError `validation_failed` with every fault, `payload_…`
 */
export function checkScheduleRequest(request: ScheduleRequest): ScheduleDefinition {
  const faults: Faults = [];
  checkFields(request, faults);
  const startAt = checkInstant(request.startAt, "startAt", faults);
  const endAt = checkInstant(request.endAt, "endAt", faults);
  if (startAt !== null && endAt !== null && endAt < startAt) {
    faults.push({ pointer: "/endAt", code: "out_of_range", detail: "must not lie before startAt" });
  }
  const timezone = checkTimezone(request.timezone, faults);
  checkRhythm(request, faults);
  checkWhole(request.jitterMs, "jitterMs", 0, MAX_JITTER_MS, faults);
  checkWhole(request.maxMissed, "maxMissed", 1, MAX_MAX_MISSED, faults);
  checkOneOf(request.missed, "missed", MISSED_POLICIES, faults);
  checkOneOf(request.overlap, "overlap", OVERLAP_POLICIES, faults);
  const job = checkJob(request.job, faults);
  if (faults.length > 0 || job === null) throw validationError(faults);

  const definition: ScheduleDefinition = {
    cron: request.cron ?? null,
    everyMs: request.everyMs ?? null,
    timezone,
    startAt,
    endAt,
    job,
    missed: request.missed ?? "once",
    maxMissed: request.maxMissed ?? DEFAULT_MAX_MISSED,
    overlap: request.overlap ?? "allow",
    jitterMs: request.jitterMs ?? 0,
  };
  refuseWideJitter(definition);
  return definition;
}

function checkFields(request: ScheduleRequest, faults: Faults): void {
  const known = Object.keys(FIELDS);
  for (const field of Object.keys(request)) {
    if (Object.hasOwn(FIELDS, field)) continue;
    const nearest = nearestName(field, known);
    const hint = nearest === null ? "" : `; did you mean ${nearest}?`;
    const detail = `is not a field of a schedule${hint}`;
    faults.push({ pointer: `/${pointerPart(field)}`, code: "unknown_field", detail });
  }
}

function checkRhythm({ cron, everyMs }: ScheduleRequest, faults: Faults): void {
  if ((cron === undefined) === (everyMs === undefined)) {
    const detail = cron === undefined ? "or everyMs is needed" : "excludes everyMs";
    faults.push({ pointer: "/cron", code: cron === undefined ? "required" : "conflict", detail });
  }
  checkWhole(everyMs, "everyMs", MIN_EVERY_MS, MAX_EVERY_MS, faults);
  if (cron === undefined) return;
  const fault = cronFault(cron);
  if (fault !== null) faults.push(fault);
}

/** What is wrong with an expression; `null` when it can be used. */
export function cronFault(cron: unknown): Fault | null {
  if (typeof cron !== "string") return { pointer: "/cron", code: "invalid_cron", detail: "must be text" };
  try {
    parseCron(cron);
    return null;
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    return { pointer: "/cron", code: "invalid_cron", detail: error.message };
  }
}

/** The name as it is spelled in the time zone database. */
export function checkTimezone(timezone: unknown, faults: Faults): string {
  if (timezone === undefined) return DEFAULT_TIMEZONE;
  if (typeof timezone !== "string") {
    faults.push({ pointer: "/timezone", code: "unknown_timezone", detail: "must be text" });
    return DEFAULT_TIMEZONE;
  }
  try {
    return zone(timezone).name;
  } catch (error) {
    if (!(error instanceof UnknownZoneError)) throw error;
    const nearest = nearestName(timezone, Intl.supportedValuesOf("timeZone"));
    const hint = nearest === null ? "" : `; did you mean ${nearest}?`;
    faults.push({ pointer: "/timezone", code: "unknown_timezone", detail: `${error.message}${hint}` });
    return DEFAULT_TIMEZONE;
  }
}

function checkInstant(input: InstantInput | undefined, field: string, faults: Faults): Instant | null {
  if (input === undefined) return null;
  const instant = parseInstant(input);
  if (typeof instant === "number") return instant;
  faults.push({ pointer: `/${field}`, code: "invalid_instant", detail: instant.problem });
  return null;
}

function checkWhole(value: unknown, field: string, min: number, max: number, faults: Faults): void {
  if (value === undefined) return;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return;
  const detail = `must be a whole number from ${min} to ${max}`;
  faults.push({ pointer: `/${field}`, code: "out_of_range", detail });
}

function checkOneOf(value: unknown, field: string, allowed: readonly string[], faults: Faults): void {
  if (value === undefined || allowed.includes(value as string)) return;
  const detail = `must be ${allowed.map((one) => `"${one}"`).join(" or ")}`;
  faults.push({ pointer: `/${field}`, code: "unknown_value", detail });
}

const NOT_FOR_SCHEDULES = ["delayMs", "runAt", "idempotencyKey", "expiresAt"];

function checkJob(job: unknown, faults: Faults): JobTemplate | null {
  if (typeof job !== "object" || job === null) {
    faults.push({ pointer: "/job", code: "required", detail: "must say at least the name of the job" });
    return null;
  }
  for (const field of NOT_FOR_SCHEDULES) {
    if ((job as Record<string, unknown>)[field] === undefined) continue;
    const detail = "cannot be set for the jobs of a schedule";
    faults.push({ pointer: `/job/${field}`, code: "conflict", detail });
  }
  try {
    return toTemplate(job as JobRequest);
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    const unplaced = { pointer: "/job/payload", code: error.code, detail: error.message };
    faults.push(...(error.faults.length > 0 ? error.faults : [unplaced]));
    return null;
  }
}

function toTemplate(request: JobRequest): JobTemplate {
  const settings = checkJobRequest(request, "/job");
  return {
    queue: settings.queue,
    name: request.name,
    payload: encodeJson(request.payload),
    priority: settings.priority,
    maxAttempts: settings.maxAttempts,
    backoff: settings.backoff,
    timeoutMs: settings.timeoutMs,
    tags: settings.tags,
    unique: settings.unique,
    expiresInMs: settings.expiresInMs,
    keys: keysText(settings),
  };
}

const SLOTS_COMPARED = 100;

/**
 * Jitter beyond the distance to the next slot is mostly a mistake. Some such slots are not among those that are
 * looked at, as on the nights when clocks change; they fire all the same, one after the other.
 */
function refuseWideJitter(definition: ScheduleDefinition): void {
  if (definition.jitterMs === 0) return;
  const slots = new Slots({ ...definition, endAt: null });
  let smallest = Number.POSITIVE_INFINITY;
  let slot = slots.after(definition.startAt ?? 0);
  for (let count = 0; count < SLOTS_COMPARED && slot !== null; count += 1) {
    const next = slots.after(slot);
    if (next === null) break;
    smallest = Math.min(smallest, next - slot);
    slot = next;
  }
  if (definition.jitterMs < smallest) return;
  const detail = `must be less than the time between two runs, which is ${smallest} ms`;
  throw validationError([{ pointer: "/jitterMs", code: "out_of_range", detail }]);
}
