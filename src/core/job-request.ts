import type { Backoff } from "./backoff.js";
import { MAX_BACKOFF_MS } from "./backoff.js";
import {
  DEFAULT_MAX_ATTEMPTS,
  DEFAULT_PRIORITY,
  DEFAULT_QUEUE,
  MAX_INSTANT,
  MAX_KEY_LENGTH,
  MAX_MAX_ATTEMPTS,
  MAX_PRIORITY,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from "./defaults.js";
import { KonveierError, type Fault, type FaultCode } from "./errors.js";
import { parseInstant, type InstantInput } from "./instant.js";
import type { JobKeys } from "./job-keys.js";
import { pointerPart } from "./json-pointer.js";
import { isKey, isName, isTag, nameFault } from "./names.js";
import { JOB_STATES, type JobState } from "./states.js";
import {
  completeUnique,
  CONFLICT_POLICIES,
  UNIQUE_SCOPES,
  type CheckedUnique,
  type Unique,
} from "./unique.js";

/** How a job is to be run. All of it is optional and kept with the job. */
export interface JobSettings {
  /** Default `default`. */
  readonly queue?: string | undefined;
  /** 0 to 9, 9 is claimed first. Default 4. */
  readonly priority?: number | undefined;
  /** Not before so many milliseconds from now. Excludes `runAt`. */
  readonly delayMs?: number | undefined;
  /** Not before this instant. */
  readonly runAt?: InstantInput | undefined;
  /** Runs at the most, the first one included: 1 to 1000. Default 20. */
  readonly maxAttempts?: number | undefined;
  readonly backoff?: Backoff | undefined;
  /** Longest time for one attempt. Default: none. */
  readonly timeoutMs?: number | undefined;
  /** A second request with the same key gets the first one's job, as long as that is kept. */
  readonly idempotencyKey?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Keeps a second job with the same key away. */
  readonly unique?: Unique | undefined;
  /** A job that has not started by then is cancelled. */
  readonly expiresAt?: InstantInput | undefined;
  /** A job that has not started so many milliseconds from now is cancelled. Excludes `expiresAt`. */
  readonly expiresInMs?: number | undefined;
  /** Jobs of the queue with the same key run within its concurrency per key, and take turns with others. */
  readonly concurrencyKey?: string | undefined;
  /** Jobs of the queue with the same key start within its rate per key, and take turns with others. */
  readonly rateKey?: string | undefined;
}

export interface JobRequest extends JobSettings {
  readonly name: string;
  readonly payload?: unknown;
}

/** A request whose settings keep the rules, with the defaults filled in. */
export interface CheckedSettings extends JobKeys {
  readonly queue: string;
  readonly priority: number;
  readonly runAt: number | null;
  readonly delayMs: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff | null;
  readonly timeoutMs: number | null;
  readonly tags: readonly string[];
  readonly unique: CheckedUnique | null;
  readonly expiresAt: number | null;
  readonly expiresInMs: number | null;
}

/** Longest time that a request may count from now. */
export const MAX_FROM_NOW_MS = MAX_BACKOFF_MS * 100;

const KNOWN_FIELDS = new Set([
  "name",
  "payload",
  "queue",
  "priority",
  "delayMs",
  "runAt",
  "maxAttempts",
  "backoff",
  "timeoutMs",
  "idempotencyKey",
  "tags",
  "unique",
  "expiresAt",
  "expiresInMs",
  "concurrencyKey",
  "rateKey",
]);

/**
 * Checks a request against the rules, all of them, and fills in the defaults.
 *
 * @param at JSON pointer of the request, for the faults
 * @throws KonveierError `validation_failed` with every fault
 */
export function checkJobRequest(request: JobRequest, at = ""): CheckedSettings {
  const faults: Fault[] = [];
  const fault = (field: string, code: FaultCode, detail: string): void => {
    faults.push({ pointer: `${at}/${field}`, code, detail });
  };
  for (const field of Object.keys(request)) {
    if (!KNOWN_FIELDS.has(field)) fault(pointerPart(field), "unknown_field", "is not a field of a job");
  }
  // Each read by its own name: reading `request[field]` took longer than all the checks together.
  const { name, queue, idempotencyKey, tags, backoff, concurrencyKey, rateKey } = request;
  if (!isName(name)) fault("name", "invalid_name", nameFault("name").detail);
  if (queue !== undefined && !isName(queue)) fault("queue", "invalid_name", nameFault("queue").detail);
  checkWholeNumber("priority", request.priority, 0, MAX_PRIORITY, fault);
  checkWholeNumber("delayMs", request.delayMs, 0, MAX_FROM_NOW_MS, fault);
  checkWholeNumber("maxAttempts", request.maxAttempts, 1, MAX_MAX_ATTEMPTS, fault);
  checkWholeNumber("timeoutMs", request.timeoutMs, 1, MAX_BACKOFF_MS, fault);
  checkKey("idempotencyKey", idempotencyKey, fault);
  checkKey("concurrencyKey", concurrencyKey, fault);
  checkKey("rateKey", rateKey, fault);
  checkTags(tags, fault);
  checkBackoff(backoff, fault);
  if (request.unique !== undefined) checkUnique(request.unique, fault);
  const runAt = checkRunAt(request, fault);
  const expiresAt = checkExpiry(request, runAt, fault);
  if (faults.length > 0) throw validationError(faults);

  return {
    queue: request.queue ?? DEFAULT_QUEUE,
    priority: request.priority ?? DEFAULT_PRIORITY,
    runAt,
    delayMs: request.delayMs ?? 0,
    maxAttempts: request.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    backoff: request.backoff ?? null,
    timeoutMs: request.timeoutMs ?? null,
    tags: request.tags === undefined ? [] : [...new Set(request.tags)],
    unique: request.unique === undefined ? null : completeUnique(request.unique),
    expiresAt,
    expiresInMs: request.expiresInMs ?? null,
    concurrencyKey: concurrencyKey ?? null,
    rateKey: rateKey ?? null,
  };
}

export function validationError(faults: readonly Fault[]): KonveierError {
  const text = faults.map(({ pointer, detail }) => `${pointer || "/"} ${detail}`).join("; ");
  return new KonveierError("validation_failed", text, { faults });
}

type AddFault = (field: string, code: FaultCode, detail: string) => void;

function checkWholeNumber(field: string, value: unknown, min: number, max: number, fault: AddFault): void {
  if (value === undefined) return;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return;
  fault(field, "out_of_range", `must be a whole number from ${min} to ${max}`);
}

function checkKey(field: string, key: unknown, fault: AddFault): void {
  if (key === undefined || isKey(key)) return;
  fault(field, "invalid_key", `must be 1 to ${MAX_KEY_LENGTH} printable characters`);
}

function checkTags(tags: unknown, fault: AddFault): void {
  if (tags === undefined) return;
  if (!Array.isArray(tags) || tags.length > MAX_TAGS) {
    fault("tags", "out_of_range", `must be a list of at most ${MAX_TAGS} tags`);
    return;
  }
  for (const [index, tag] of tags.entries()) {
    if (!isTag(tag)) {
      fault(`tags/${index}`, "invalid_tag", `must be 1 to ${MAX_TAG_LENGTH} printable characters`);
    }
  }
}

const BACKOFF_FIELDS = {
  fixed: ["type", "delayMs", "jitter"],
  exponential: ["type", "baseMs", "maxMs", "jitter"],
} as const;

function checkBackoff(backoff: unknown, fault: AddFault): void {
  if (backoff === undefined) return;
  const policy = backoff as Record<string, unknown> | null;
  const type = policy?.["type"];
  if (type !== "fixed" && type !== "exponential") {
    fault("backoff/type", "unknown_value", 'must be "fixed" or "exponential"');
    return;
  }
  const allowed: readonly string[] = BACKOFF_FIELDS[type];
  for (const [field, value] of Object.entries(policy ?? {})) {
    if (!allowed.includes(field))
      fault(`backoff/${pointerPart(field)}`, "unknown_field", `is not a field of a ${type} backoff`);
    else if (field.endsWith("Ms") && !isDelay(value)) {
      fault(`backoff/${field}`, "out_of_range", `must be a whole number from 0 to ${MAX_BACKOFF_MS}`);
    } else if (field === "jitter" && !(typeof value === "number" && value >= 0 && value <= 1)) {
      fault("backoff/jitter", "out_of_range", "must be a number from 0 to 1");
    }
  }
  if (type === "fixed" && policy?.["delayMs"] === undefined) {
    fault("backoff/delayMs", "required", "is needed for a fixed backoff");
  }
}

function isDelay(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_BACKOFF_MS;
}

const UNIQUE_FIELDS = ["key", "scope", "states", "ttlMs", "onConflict"];

function checkUnique(unique: unknown, fault: AddFault): void {
  if (typeof unique !== "object" || unique === null) {
    fault("unique", "wrong_type", "must say at least the key");
    return;
  }
  const { key, scope, states, ttlMs, onConflict } = unique as Record<string, unknown>;
  for (const field of Object.keys(unique)) {
    if (UNIQUE_FIELDS.includes(field)) continue;
    fault(`unique/${pointerPart(field)}`, "unknown_field", "is not a field of unique");
  }
  if (!isKey(key)) fault("unique/key", "invalid_key", `must be 1 to ${MAX_KEY_LENGTH} printable characters`);
  checkOneOf("unique/scope", scope, UNIQUE_SCOPES, fault);
  checkOneOf("unique/onConflict", onConflict, CONFLICT_POLICIES, fault);
  checkWholeNumber("unique/ttlMs", ttlMs, 1, MAX_FROM_NOW_MS, fault);
  checkUniqueStates(states, fault);
  // A job that is replaced keeps its place in the books, which are kept by queue and name.
  if (onConflict === "replace" && scope !== undefined && scope !== "name") {
    fault("unique/onConflict", "conflict", 'can be "replace" only with the scope "name"');
  }
}

function checkUniqueStates(states: unknown, fault: AddFault): void {
  if (states === undefined) return;
  if (!Array.isArray(states) || states.length === 0) {
    fault("unique/states", "out_of_range", "must be a list of at least one state");
    return;
  }
  for (const [index, state] of states.entries()) {
    checkOneOf(`unique/states/${index}`, state as JobState, JOB_STATES, fault);
  }
}

function checkOneOf(field: string, value: unknown, allowed: readonly string[], fault: AddFault): void {
  if (value === undefined || allowed.includes(value as string)) return;
  fault(field, "unknown_value", `must be ${allowed.map((one) => `"${one}"`).join(" or ")}`);
}

function checkExpiry(request: JobRequest, runAt: number | null, fault: AddFault): number | null {
  const { expiresAt: given, expiresInMs, delayMs } = request;
  checkWholeNumber("expiresInMs", expiresInMs, 1, MAX_FROM_NOW_MS, fault);
  if (expiresInMs !== undefined && delayMs !== undefined && expiresInMs <= delayMs) {
    fault("expiresInMs", "out_of_range", "must be more than delayMs");
  }
  if (given === undefined) return null;
  if (expiresInMs !== undefined) fault("expiresAt", "conflict", "excludes expiresInMs");
  const expiresAt = parseInstant(given);
  if (typeof expiresAt !== "number") {
    fault("expiresAt", "invalid_instant", expiresAt.problem);
    return null;
  }
  if (runAt !== null && expiresAt <= runAt) fault("expiresAt", "out_of_range", "must lie after runAt");
  return Math.min(expiresAt, MAX_INSTANT);
}

function checkRunAt(request: JobRequest, fault: AddFault): number | null {
  if (request.runAt === undefined) return null;
  if (request.delayMs !== undefined) fault("runAt", "conflict", "excludes delayMs");
  const runAt = parseInstant(request.runAt);
  if (typeof runAt === "number") return Math.min(runAt, MAX_INSTANT);
  fault("runAt", "invalid_instant", runAt.problem);
  return null;
}
