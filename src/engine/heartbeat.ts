import { validationError } from "../core/job-request.js";
import type { ClaimKey, Extended } from "../store/claims.js";
import { faultOfLease } from "./claim.js";
import type { EngineContext } from "./context.js";

/**
 * Extends leases, each for itself: a lost one is reported in its place and does not touch the others.
 *
 * @throws KonveierError `validation_failed`, `store_…`
 */
export async function heartbeat(
  context: EngineContext,
  keys: readonly ClaimKey[],
  leaseMs: number,
): Promise<readonly Extended[]> {
  const fault = faultOfLease(leaseMs);
  if (fault !== null) throw validationError([fault]);
  return context.store.claims.extend(keys, leaseMs);
}
