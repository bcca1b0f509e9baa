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

export interface QueueLimits extends Limits {
  /** For the jobs of each `concurrencyKey`, and of each `rateKey`. */
  readonly perKey: Limits;
  /** A job that waits for so long counts as one priority higher, and again after each further such time. */
  readonly ageingMs: number | null;
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
};

export function changedLimits(limits: QueueLimits, change: QueueLimitsChange): QueueLimits {
  const perKey = change.perKey === null ? NO_LIMITS.perKey : changed(limits.perKey, change.perKey ?? {});
  const ageingMs = change.ageingMs === undefined ? limits.ageingMs : change.ageingMs;
  return { ...changed(limits, change), perKey, ageingMs };
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
  checkFields("", change, ["concurrency", "rateLimit", "perKey", "ageingMs"], fault);
  checkLimits("", change, fault);
  checkWholeNumber("ageingMs", change.ageingMs, MAX_AGEING_MS, fault);
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

/** From 1: whoever wants no job to run pauses the queue. */
function checkWholeNumber(field: string, value: unknown, max: number, fault: AddFault): void {
  if (value === undefined || value === null) return;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  fault(field, "out_of_range", `must be a whole number from 1 to ${max}, or null for no limit`);
}
