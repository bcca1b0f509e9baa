import type { LeaseLossReason } from "../core/errors.js";
import { encodeJson, resultProblemOf } from "../core/payload.js";
import { andThen, type MaybePromise } from "../core/transactions.js";
import type { ClaimKey, Settlement } from "../store/claims.js";
import type { EngineContext } from "./context.js";

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

/**
 * Completes a claim in a transaction that the caller has open on this connection.
 *
 * @returns why the claim is lost, or `null`
 * @throws KonveierError `transaction_unusable`, `store_…`
 */
export function completeWithin(
  { store }: EngineContext,
  key: ClaimKey,
  connection: unknown,
  result: unknown,
): MaybePromise<LeaseLossReason | null> {
  return andThen(store.join(connection).complete(completion(key, result)), (settled) =>
    settled.ok ? null : settled.reason,
  );
}
