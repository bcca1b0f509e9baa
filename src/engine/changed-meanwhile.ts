import { KonveierError } from "../core/errors.js";

/** An edit was based on a version that is not the present one. */
export function changedMeanwhile(what: string): KonveierError {
  return new KonveierError("etag_mismatch", `${what} has been changed since you read it. Read it again.`);
}
