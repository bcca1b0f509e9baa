import {
  DEFAULT_LEASE_MS,
  MAX_CLAIM,
  MAX_CLAIM_BYTES,
  MAX_CLAIM_LANES,
  MAX_LEASE_MS,
  MAX_PAYLOAD_BYTES,
  MIN_LEASE_MS,
} from "../core/defaults.js";
import type { Fault } from "../core/errors.js";
import type { ClaimedJob } from "../core/job.js";
import { validationError } from "../core/job-request.js";
import { isKey, isName, nameFault } from "../core/names.js";
import type { ClaimName, ClaimRequest } from "../store/claims.js";
import type { EngineContext } from "./context.js";

/** A claim of a worker that may not hear the answer has a name. */
export type AnyClaim = ClaimRequest & Partial<ClaimName>;

/**
 * Takes up to `max` pending jobs for a worker. Every job comes with the next fencing token; its attempt
 * is counted now, so that a handler that kills its process is counted too.
 *
 * @returns `null`: the claim has a name whose jobs have all ended. It never gets others.
 * @throws KonveierError `validation_failed`, `store_…`
 */
export async function claim(
  context: EngineContext,
  request: AnyClaim,
): Promise<readonly ClaimedJob[] | null> {
  checkClaim(request);
  const { claims } = context.store;
  const { claimId } = request;
  return claimId === undefined ? claims.claim(request) : claims.claimAs({ ...request, claimId });
}

/** Whether a claim that was answered so may have left jobs that it could have had: it was full. */
export function mayHaveLeftJobs(max: number, jobs: readonly ClaimedJob[]): boolean {
  if (jobs.length === max) return true;
  const payloadBytes = jobs.reduce((bytes, { payload }) => bytes + Buffer.byteLength(payload), 0);
  return payloadBytes > MAX_CLAIM_BYTES - MAX_PAYLOAD_BYTES;
}

/** @throws KonveierError `validation_failed` with every fault */
export function checkClaim(request: AnyClaim): void {
  const faults = faultsOfClaim(request);
  if (faults.length > 0) throw validationError(faults);
}

export function faultsOfClaim({ workerId, claimId, queues, names, max, leaseMs }: AnyClaim): Fault[] {
  const faults: Fault[] = [];
  if (!isKey(workerId)) {
    faults.push({
      pointer: "/workerId",
      code: "invalid_key",
      detail: "must be 1 to 255 printable characters",
    });
  }
  if (claimId !== undefined && !isKey(claimId)) {
    faults.push({
      pointer: "/claimId",
      code: "invalid_key",
      detail: "must be 1 to 255 printable characters",
    });
  }
  if (queues.length === 0) {
    faults.push({ pointer: "/queues", code: "required", detail: "must name at least one queue" });
  }
  for (const [index, queue] of queues.entries())
    if (!isName(queue)) faults.push(nameFault(`queues/${index}`));
  for (const [index, name] of (names ?? []).entries())
    if (!isName(name)) faults.push(nameFault(`names/${index}`));
  if (queues.length * (names?.length ?? 1) > MAX_CLAIM_LANES) {
    faults.push({
      pointer: "/names",
      code: "out_of_range",
      detail: `may be ${MAX_CLAIM_LANES} at the most, multiplied by the number of queues`,
    });
  }
  if (!Number.isSafeInteger(max) || max < 1 || max > MAX_CLAIM) {
    faults.push({
      pointer: "/max",
      code: "out_of_range",
      detail: `must be a whole number from 1 to ${MAX_CLAIM}`,
    });
  }
  const leaseFault = faultOfLease(leaseMs);
  if (leaseFault !== null) faults.push(leaseFault);
  return faults;
}

export function faultOfLease(leaseMs: number): Fault | null {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= MIN_LEASE_MS && leaseMs <= MAX_LEASE_MS) return null;
  return {
    pointer: "/leaseMs",
    code: "out_of_range",
    detail: `must be a whole number from ${MIN_LEASE_MS} to ${MAX_LEASE_MS} (default ${DEFAULT_LEASE_MS})`,
  };
}
