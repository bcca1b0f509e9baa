import { encodeJson, resultProblemOf } from "../core/payload.js";
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
    return { verb: "complete", id, token, result: null, resultProblem: resultProblemOf(error) };
  }
}
