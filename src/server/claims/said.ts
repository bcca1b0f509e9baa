import type { CompleteBody, FailureError } from "../../api/lease.js";
import { MAX_ERROR_MESSAGE_LENGTH, MAX_ERROR_STACK_LENGTH } from "../../core/defaults.js";
import type { KonveierError } from "../../core/errors.js";
import { storableText } from "../../core/storable-text.js";
import type { StoredError } from "../../core/stored-error.js";
import { completion } from "../../engine/complete.js";
import type { ClaimKey, Settlement } from "../../store/claims.js";

const MAX_ERROR_TYPE_LENGTH = 200;

type Completion = Extract<Settlement, { verb: "complete" }>;

/**
 * What a worker said about a job that it finished. A value that is refused everywhere else is no reason to refuse that:
 * the work is done, and only its result is not kept.
 *
 * @param fault why the result was not read
 */
export function completionOf(
  key: ClaimKey,
  { result, resultProblem }: Pick<CompleteBody, "result" | "resultProblem">,
  fault: KonveierError | undefined,
): Completion {
  const problem = fault?.message ?? resultProblem;
  if (problem === undefined) return completion(key, result);
  const text = storableText(
    problem === "" ? "The worker did not say why." : problem,
    MAX_ERROR_MESSAGE_LENGTH,
  );
  return { verb: "complete", ...key, result: null, resultProblem: text };
}

/** What a worker said about an attempt that failed. */
export function storedErrorOf({ type, message, stack }: FailureError): StoredError {
  return {
    type: storableText(type === undefined || type === "" ? "Error" : type, MAX_ERROR_TYPE_LENGTH),
    message: storableText(message === "" ? "An error without a message" : message, MAX_ERROR_MESSAGE_LENGTH),
    stack: stack === undefined ? null : storableText(stack, MAX_ERROR_STACK_LENGTH),
  };
}
