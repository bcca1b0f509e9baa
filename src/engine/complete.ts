import { KonveierError } from "../core/errors.js";
import { encodeJson } from "../core/payload.js";
import type { ClaimKey, Settlement } from "../store/claims.js";

type Completion = Extract<Settlement, { verb: "complete" }>;

/**
 * The settlement of a claim whose work is done. The work has happened: a result that cannot be stored
 * must not make it run again, so the job completes without it and says why.
 */
export function completion({ id, token }: ClaimKey, result: unknown): Completion {
  if (result === undefined) return { verb: "complete", id, token, result: null, resultProblem: null };
  try {
    return { verb: "complete", id, token, result: encodeJson(result), resultProblem: null };
  } catch (error) {
    const problem =
      error instanceof KonveierError ? error.message : "The result could not be turned into JSON.";
    return {
      verb: "complete",
      id,
      token,
      result: null,
      resultProblem: problem.replaceAll("payload", "result"),
    };
  }
}
