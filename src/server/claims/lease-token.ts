import { KonveierError } from "../../core/errors.js";
import type { ClaimKey } from "../../store/claims.js";
import { SIGNATURE_LENGTH, type Signer } from "../signer.js";

const LEASE_TOKEN = new RegExp(`^lt_([1-9]\\d{0,15})_([A-Za-z0-9_-]{${SIGNATURE_LENGTH}})$`);

/**
 * What a worker must give back with everything that it says about a claim. It holds the fencing token,
 * and the signature ties that to the job, so that a token can neither be made up nor used for another job.
 */
export function leaseTokenOf(signer: Signer, { id, token }: ClaimKey): string {
  return `lt_${token}_${signer.sign(signedText(id, String(token)))}`;
}

/** The claim that a lease token stands for; `null` when it is not one of this job. */
export function readLeaseToken(signer: Signer, id: string, leaseToken: string): ClaimKey | null {
  const [, token, signature] = LEASE_TOKEN.exec(leaseToken) ?? [];
  if (token === undefined || signature === undefined) return null;
  return signer.verify(signedText(id, token), signature) ? { id, token: Number(token) } : null;
}

/** @throws KonveierError `lease_lost` for a token that is not one of this job */
export function claimKeyOf(signer: Signer, id: string, leaseToken: string): ClaimKey {
  const key = readLeaseToken(signer, id, leaseToken);
  if (key !== null) return key;
  throw new KonveierError(
    "lease_lost",
    "The lease token does not belong to this job. Use the one that the claim answered with this very job.",
  );
}

function signedText(id: string, token: string): string {
  return `${id}.${token}`;
}
