import { createHmac, timingSafeEqual } from "node:crypto";

/** 128 bits: nobody guesses it, and tokens stay short. */
const SIGNATURE_BYTES = 16;

/** Length of a signature as text. */
export const SIGNATURE_LENGTH = Math.ceil((SIGNATURE_BYTES * 4) / 3);

/** What base64url text stands for; `null` unless it is the one text for that, without junk, padding or broken characters. */
export function decodeExactly(encoded: string): string | null {
  const text = Buffer.from(encoded, "base64url").toString();
  return Buffer.from(text).toString("base64url") === encoded ? text : null;
}

/**
 * Signs what the server hands out and wants back unchanged. The secret belongs to the database, so every
 * server on it accepts what another one has signed.
 */
export class Signer {
  constructor(private readonly secret: Buffer) {}

  /** base64url text of HMAC-SHA256, cut to 128 bits. */
  sign(text: string): string {
    const digest = createHmac("sha256", this.secret).update(text).digest();
    return digest.subarray(0, SIGNATURE_BYTES).toString("base64url");
  }

  /** Takes the same time whatever differs. */
  verify(text: string, signature: string): boolean {
    const given = Buffer.from(signature);
    // Compared as text: several base64url texts decode to the same bytes, and only one was handed out.
    const right = Buffer.from(this.sign(text));
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
