import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/**
 * The key in a Standard Webhooks secret, `whsec_` and the base64 of 24 to 64 bytes.
 *
 * @throws RangeError without the secret in its text
 */
export function parseSigningSecret(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  const key = Buffer.from(text, "base64");
  // Decoding skips what is no base64, so a damaged secret would sign with another key.
  if (key.toString("base64") !== text || key.length < 24 || key.length > 64) {
    throw new RangeError("must be whsec_ and the base64 of 24 to 64 bytes");
  }
  return key;
}

/** Value of `webhook-signature`: one `v1` signature for each key. `body` is exactly what is sent. */
export function webhookSignature(
  keys: readonly Buffer[],
  id: string,
  timestamp: number,
  body: Uint8Array | string,
): string {
  return keys
    .map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"))
    .map((signature) => `v1,${signature}`)
    .join(" ");
}
