import type { MissedPolicy, OverlapPolicy } from "../../api/types.js";
import { spanMs, spanOf, type TimeUnit } from "../../ui/time-units.js";
import type { ReadSchedule } from "./queries.js";

/** What is typed into the form of a schedule. */
export interface FormValues {
  readonly key: string;
  readonly rhythm: "cron" | "every";
  readonly cron: string;
  readonly every: string;
  readonly unit: TimeUnit;
  readonly timezone: string;
  readonly name: string;
  readonly queue: string;
  /** JSON text. */
  readonly payload: string;
  readonly missed: MissedPolicy;
  readonly maxMissed: string;
  readonly overlap: OverlapPolicy;
  /** Seconds. */
  readonly jitter: string;
  readonly startAt: string;
  readonly endAt: string;
  readonly priority: string;
  readonly maxAttempts: string;
  /** Seconds; empty: without limit. */
  readonly timeout: string;
  /** Separated by commas. */
  readonly tags: string;
}

export type FieldName = keyof FormValues;

export const NEW: FormValues = {
  key: "",
  rhythm: "cron",
  cron: "0 9 * * 1-5",
  every: "5",
  unit: "min",
  timezone: "UTC",
  name: "",
  queue: "default",
  payload: "{}",
  missed: "once",
  maxMissed: "100",
  overlap: "allow",
  jitter: "0",
  startAt: "",
  endAt: "",
  priority: "4",
  maxAttempts: "20",
  timeout: "",
  tags: "",
};

/** The form of a schedule as it is. */
export function valuesOf({ schedule, payload }: ReadSchedule): FormValues {
  const { job, everyMs } = schedule;
  return {
    key: schedule.key,
    rhythm: everyMs === null ? "cron" : "every",
    cron: schedule.cron ?? NEW.cron,
    ...everyOf(everyMs),
    timezone: schedule.timezone,
    name: job.name,
    queue: job.queue,
    payload,
    missed: schedule.missed,
    maxMissed: String(schedule.maxMissed),
    overlap: schedule.overlap,
    jitter: String(schedule.jitterMs / 1_000),
    startAt: schedule.startAt ?? "",
    endAt: schedule.endAt ?? "",
    priority: String(job.priority),
    maxAttempts: String(job.maxAttempts),
    timeout: job.timeoutMs === null ? "" : String(job.timeoutMs / 1_000),
    tags: job.tags.join(", "),
  };
}

function everyOf(everyMs: number | null): Pick<FormValues, "every" | "unit"> {
  if (everyMs === null) return { every: NEW.every, unit: NEW.unit };
  const { amount: every, unit } = spanOf(everyMs);
  return { every, unit };
}

/** The interval that is typed, in milliseconds. */
export function everyMsOf({ every: amount, unit }: Pick<FormValues, "every" | "unit">): number {
  return spanMs({ amount, unit });
}

/** What a form cannot change, and what must not be lost by an edit. */
export type Kept = Pick<
  ReadSchedule["schedule"]["job"],
  "backoff" | "unique" | "expiresInMs" | "concurrencyKey" | "rateKey"
>;

/** Of a new schedule. */
export const NOTHING_KEPT: Kept = {
  backoff: null,
  unique: null,
  expiresInMs: null,
  concurrencyKey: null,
  rateKey: null,
};

/**
 * The body of a `PUT`, as text: the payload goes out as it is typed, so that the server, and not this browser, says
 * what it makes of its numbers. The payload must be JSON.
 */
export function bodyOf(values: FormValues, kept: Kept): string {
  const { backoff, unique, expiresInMs, concurrencyKey, rateKey } = kept;
  const job = {
    name: values.name.trim(),
    queue: values.queue.trim(),
    priority: numberOf(values.priority),
    maxAttempts: numberOf(values.maxAttempts),
    ...(backoff === null ? {} : { backoff }),
    ...(unique === null ? {} : { unique: { ...unique, ttlMs: unique.ttlMs ?? undefined } }),
    ...(expiresInMs === null ? {} : { expiresInMs }),
    ...(concurrencyKey === null ? {} : { concurrencyKey }),
    ...(rateKey === null ? {} : { rateKey }),
    ...(values.timeout.trim() === "" ? {} : { timeoutMs: millisecondsOf(values.timeout) }),
    tags: values.tags
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  };
  const rest = {
    ...(values.rhythm === "cron" ? { cron: values.cron.trim() } : { everyMs: everyMsOf(values) }),
    timezone: values.timezone.trim(),
    missed: values.missed,
    maxMissed: numberOf(values.maxMissed),
    overlap: values.overlap,
    jitterMs: millisecondsOf(values.jitter),
    ...(values.startAt.trim() === "" ? {} : { startAt: values.startAt.trim() }),
    ...(values.endAt.trim() === "" ? {} : { endAt: values.endAt.trim() }),
  };
  const jobText = `${JSON.stringify(job).slice(0, -1)},"payload":${values.payload.trim()}}`;
  return `${JSON.stringify(rest).slice(0, -1)},"job":${jobText}}`;
}

/** What is no number goes out as it is typed: the server says what is wrong with it. */
function numberOf(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

function millisecondsOf(seconds: string): number | string {
  const ms = spanMs({ amount: seconds, unit: "s" });
  return seconds.trim() === "" || Number.isNaN(ms) ? seconds : ms;
}

/** The fields in which two forms differ. */
export function differences(one: FormValues, other: FormValues): readonly FieldName[] {
  return (Object.keys(one) as FieldName[]).filter((name) => one[name] !== other[name]);
}

const FIELDS: Readonly<Record<string, FieldName>> = {
  "/cron": "cron",
  "/everyMs": "every",
  "/timezone": "timezone",
  "/job/name": "name",
  "/job/queue": "queue",
  "/job/payload": "payload",
  "/job/priority": "priority",
  "/job/maxAttempts": "maxAttempts",
  "/job/timeoutMs": "timeout",
  "/job/tags": "tags",
  "/missed": "missed",
  "/maxMissed": "maxMissed",
  "/overlap": "overlap",
  "/jitterMs": "jitter",
  "/startAt": "startAt",
  "/endAt": "endAt",
  "/key": "key",
};

/** The field that a fault of the server is about; `null` when none is. */
export function fieldOf(pointer: string): FieldName | null {
  const found = Object.keys(FIELDS).find((path) => pointer === path || pointer.startsWith(`${path}/`));
  return found === undefined ? null : (FIELDS[found] ?? null);
}
