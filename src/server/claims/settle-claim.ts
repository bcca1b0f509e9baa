import { LeaseLostError } from "../../core/errors.js";
import type { ClaimedJob } from "../../core/job.js";
import type { EngineContext } from "../../engine/context.js";
import type { RetryWish } from "../../core/verdict.js";
import { failure } from "../../engine/fail.js";
import { currentClaim, settle } from "../../engine/settle.js";
import type { ClaimKey, Failure, Settled, Settlement } from "../../store/claims.js";

type Accepted = Extract<Settled, { ok: true }>;

/**
 * Ends a claim of a remote worker. Saying the same again is fine: the first answer may have been lost.
 *
 * @throws LeaseLostError
 */
export async function settleClaim(context: EngineContext, settlement: Settlement): Promise<Accepted> {
  const job = await context.store.jobs.get(settlement.id);
  if (job?.state !== "running" || job.token !== settlement.token) return repeat(context, settlement);
  const { queue, name, attempt, workerId } = job;
  const startedAt = job.startedAt ?? context.store.now();
  return settle(context, { queue, name, attempt, startedAt }, workerId ?? "", settlement);
}

/**
 * Ends a claim whose attempt failed: another one later, or the end, by the job's budget and backoff.
 *
 * @throws LeaseLostError
 */
export async function failClaim(
  context: EngineContext,
  key: ClaimKey,
  failed: Failure,
  retry: RetryWish,
): Promise<Accepted & { readonly attempt: number }> {
  const claim = await currentClaim(context, key).catch(lostAsNull);
  if (claim === null) {
    const settled = await repeat(context, { verb: "retry", ...key, delayMs: 0, failure: failed });
    return { ...settled, attempt: await attemptOf(context, key) };
  }
  const settlement = failure(context, claim, failed, retry);
  return { ...(await settleClaim(context, settlement)), attempt: claim.attempt };
}

function lostAsNull(error: unknown): null {
  if (error instanceof LeaseLostError) return null;
  throw error;
}

/**
 * Of a claim that is not the current one, which no token ever becomes again: the store finds that it was
 * settled in just this way, or that it is lost. It changes nothing, so nothing is told.
 */
async function repeat(context: EngineContext, settlement: Settlement): Promise<Accepted> {
  const [settled] = await context.store.claims.settle([settlement]);
  if (settled === undefined) throw new Error("The store answered a settlement with nothing");
  if (!settled.ok) throw new LeaseLostError(settlement.id, settlement.token, settled.reason);
  return settled;
}

async function attemptOf(context: EngineContext, { id, token }: ClaimKey): Promise<ClaimedJob["attempt"]> {
  const attempts = await context.store.jobs.attempts(id);
  return attempts.find((attempt) => attempt.token === token)?.number ?? 0;
}
