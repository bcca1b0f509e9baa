import { createHash } from "node:crypto";

/**
 * Tells whether two requests under one idempotency key ask for the same job. The order of object keys
 * does not matter, nothing else is forgiven: `1` and `"1"`, `null` and a missing key are different.
 */
export function fingerprint(definition: unknown): string {
  return createHash("sha256").update(canonicalJson(definition)).digest("base64url");
}

/** JSON text with sorted object keys. The value comes from `JSON.parse`, so it has no cycles. */
function canonicalJson(value: unknown): string {
  // As JSON.stringify writes it, in less time: lists may be long.
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}
