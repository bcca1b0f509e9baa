import { MAX_QUEUE_LENGTH } from "./defaults.js";
import type { Fault, FaultCode } from "./errors.js";
import { validationError } from "./job-request.js";
import { pointerPart } from "./json-pointer.js";

/** At most `max` starts in any time of `perMs`. */
export interface RateLimit {
  readonly max: number;
  readonly perMs: number;
}

/** `null`: no limit. */
export interface Limits {
  /** Jobs that run at the same time, in all processes together. */
  readonly concurrency: number | null;
  readonly rateLimit: RateLimit | null;
}

/** What new jobs of a full queue meet: they are refused, or the oldest pending ones are cancelled for them. */
export const ON_FULL = ["refuse", "drop-oldest"] as const;
export type OnFull = (typeof ON_FULL)[number];

export interface QueueLimits extends Limits {
  /** For the jobs of each `concurrencyKey`, and of each `rateKey`. */
  readonly perKey: Limits;
  /** A job that waits for so long counts as one priority higher, and again after each further such time. */
  readonly ageingMs: number | null;
  /** Jobs that may wait: blocked, scheduled and pending ones. `null`: any number. */
  readonly maxLength: number | null;
  readonly onFull: OnFull;
}

/** An edit: what is left out stays, `null` takes a limit away. */
export interface QueueLimitsChange {
  readonly concurrency?: number | null | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly perKey?:
    | { readonly concurrency?: number | null | undefined; readonly rateLimit?: RateLimit | null | undefined }
    | null
    | undefined;
  readonly ageingMs?: number | null | undefined;
  readonly maxLength?: number | null | undefined;
  readonly onFull?: OnFull | undefined;
}

/** What an edit changes; what is left out stays. */
export interface QueueEdit extends QueueLimitsChange {
  readonly paused?: boolean | undefined;
  /** Of a queue that is being paused. */
  readonly pauseReason?: string | null | undefined;
}

export const MAX_CONCURRENCY_LIMIT = 100_000;
export const MAX_RATE = 1_000_000;
/** A month: what an upstream counts by is a day, or a calendar month. */
export const MAX_RATE_PER_MS = 31 * 24 * 3_600_000;
export const MAX_AGEING_MS = 366 * 24 * 3_600_000;

export const NO_LIMITS: QueueLimits = {
  concurrency: null,
  rateLimit: null,
  perKey: { concurrency: null, rateLimit: null },
  ageingMs: null,
  maxLength: null,
  onFull: "refuse",
};

export function changedLimits(limits: QueueLimits, change: QueueLimitsChange): QueueLimits {
  const perKey = change.perKey === null ? NO_LIMITS.perKey : changed(limits.perKey, change.perKey ?? {});
  const ageingMs = change.ageingMs === undefined ? limits.ageingMs : change.ageingMs;
  const maxLength = change.maxLength === undefined ? limits.maxLength : change.maxLength;
  return {
    ...changed(limits, change),
    perKey,
    ageingMs,
    maxLength,
    onFull: change.onFull ?? limits.onFull,
  };
}

function changed(limits: Limits, { concurrency, rateLimit }: Partial<QueueLimitsChange>): Limits {
  return {
    concurrency: concurrency === undefined ? limits.concurrency : concurrency,
    rateLimit: rateLimit === undefined ? limits.rateLimit : rateLimit,
  };
}

type AddFault = (field: string, code: FaultCode, detail: string) => void;

/** @throws KonveierError `validation_failed` with every fault */
export function checkLimitsChange(change: QueueLimitsChange): void {
  const faults: Fault[] = [];
  const fault: AddFault = (field, code, detail) => {
    faults.push({ pointer: `/${field}`, code, detail });
  };
  checkFields("", change, Object.keys(NO_LIMITS), fault);
  checkLimits("", change, fault);
  checkWholeNumber("ageingMs", change.ageingMs, MAX_AGEING_MS, fault);
  checkWholeNumber("maxLength", change.maxLength, MAX_QUEUE_LENGTH, fault, 0);
  if (change.onFull !== undefined && !ON_FULL.includes(change.onFull)) {
    fault("onFull", "unknown_value", `must be ${ON_FULL.map((one) => `"${one}"`).join(" or ")}`);
  }
  const { perKey } = change;
  if (perKey !== undefined && perKey !== null && isObject("perKey", perKey, fault)) {
    checkFields("perKey/", perKey, ["concurrency", "rateLimit"], fault);
    checkLimits("perKey/", perKey, fault);
  }
  if (faults.length > 0) throw validationError(faults);
}

function checkLimits(at: string, { concurrency, rateLimit }: QueueLimitsChange, fault: AddFault): void {
  checkWholeNumber(`${at}concurrency`, concurrency, MAX_CONCURRENCY_LIMIT, fault);
  if (rateLimit === undefined || rateLimit === null) return;
  if (!isObject(`${at}rateLimit`, rateLimit, fault)) return;
  checkFields(`${at}rateLimit/`, rateLimit, ["max", "perMs"], fault);
  const needed = { max: MAX_RATE, perMs: MAX_RATE_PER_MS };
  for (const field of ["max", "perMs"] as const) {
    if ((rateLimit as Partial<RateLimit>)[field] === undefined) {
      fault(`${at}rateLimit/${field}`, "required", "is needed for a rate limit");
    } else {
      checkWholeNumber(`${at}rateLimit/${field}`, rateLimit[field], needed[field], fault);
    }
  }
}

function isObject(field: string, value: unknown, fault: AddFault): value is object {
  if (typeof value === "object" && !Array.isArray(value)) return true;
  fault(field, "unknown_value", "must be an object or null");
  return false;
}

function checkFields(at: string, value: object, known: readonly string[], fault: AddFault): void {
  for (const field of Object.keys(value)) {
    if (!known.includes(field)) fault(at + pointerPart(field), "unknown_field", "is not a limit of a queue");
  }
}

/** From 1, unless it says otherwise: whoever wants no job to run pauses the queue. */
function checkWholeNumber(field: string, value: unknown, max: number, fault: AddFault, min = 1): void {
  if (value === undefined || value === null) return;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return;
  fault(field, "out_of_range", `must be a whole number from ${min} to ${max}, or null for no limit`);
}
