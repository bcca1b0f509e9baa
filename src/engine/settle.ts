import { LeaseLostError } from "../core/errors.js";
import type { ClaimedJob } from "../core/job.js";
import type { ClaimKey, Settled, Settlement } from "../store/claims.js";
import type { EngineContext } from "./context.js";
import { tellSettled } from "./tell-settled.js";

/** The job that is held with this token. @throws LeaseLostError */
export async function currentClaim(context: EngineContext, key: ClaimKey): Promise<ClaimedJob> {
  const current = await context.store.claims.current(key);
  if (typeof current === "string") throw new LeaseLostError(key.id, key.token, current);
  return current;
}

/**
 * Ends one claim. Saying the same again is fine: the first answer may have been lost.
 *
 * @throws LeaseLostError when the claim is no longer the current one; the job was not changed
 */
export async function settle(
  context: EngineContext,
  job: Pick<ClaimedJob, "queue" | "name" | "attempt" | "startedAt">,
  workerId: string,
  settlement: Settlement,
): Promise<Extract<Settled, { ok: true }>> {
  const [settled] = await context.store.claims.settle([settlement]);
  if (settled === undefined) throw new Error("The store answered a settlement with nothing");
  if (!settled.ok) throw new LeaseLostError(settlement.id, settlement.token, settled.reason);
  tellSettled(context, job, workerId, settlement);
  return settled;
}
