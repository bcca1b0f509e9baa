import { createHash } from "node:crypto";

/** The number of an advisory lock that a schema has for one purpose. */
export function lockNumber(purpose: string, s: string): string {
  return createHash("sha256").update(`konveier ${purpose} ${s}`).digest().readBigInt64BE().toString();
}
