import { createHash } from "node:crypto";
import type { NamedClaim } from "./claims.js";

/** What the name is kept as. The name itself is printable, so the line break ends it. */
export function claimKeyOf({ claimId, claimant, queues, names }: NamedClaim): string {
  const asked = JSON.stringify([queues.toSorted(), names?.toSorted() ?? null, claimant ?? null]);
  return `${claimId}\n${createHash("sha256").update(asked).digest("base64url")}`;
}
