import type { FailureError } from "../../api/lease.js";
import { MAX_ERROR_MESSAGE_LENGTH, MAX_ERROR_STACK_LENGTH } from "../../core/defaults.js";
import type { KonveierError } from "../../core/errors.js";
import { storableText } from "../../core/storable-text.js";
import type { StoredError } from "../../core/stored-error.js";
import { completion } from "../../engine/complete.js";
import type { ClaimKey, Settlement } from "../../store/claims.js";

const MAX_ERROR_TYPE_LENGTH = 200;

type Completion = Extract<Settlement, { verb: "complete" }>;

/**
 * What a worker said about a job that it finished. A number that would change is refused everywhere else;
 * here the work is done, and only its result is not kept.
 */
export function completionOf(key: ClaimKey, result: unknown, fault: KonveierError | null): Completion {
  if (fault === null) return completion(key, result);
  return { verb: "complete", ...key, result: null, resultProblem: fault.message };
}

/** What a worker said about an attempt that failed. */
export function storedErrorOf({ type, message, stack }: FailureError): StoredError {
  return {
    type: storableText(type === undefined || type === "" ? "Error" : type, MAX_ERROR_TYPE_LENGTH),
    message: storableText(message === "" ? "An error without a message" : message, MAX_ERROR_MESSAGE_LENGTH),
    stack: stack === undefined ? null : storableText(stack, MAX_ERROR_STACK_LENGTH),
  };
}
