import { createHash, randomBytes } from "node:crypto";

/** A fixed beginning, so that secret scanners can know tokens of Konveier by it. */
const TOKEN_TEXT = /^kv_([a-z0-9]{8})_[A-Za-z0-9_-]{43}$/;
const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 8;
const SECRET_BYTES = 32;

/** A new token: `kv_<id>_<secret>`. Only its digest may be stored. */
export function newTokenText(): { readonly id: string; readonly text: string } {
  const id = Array.from(randomBytes(ID_LENGTH), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
  return { id, text: `kv_${id}_${randomBytes(SECRET_BYTES).toString("base64url")}` };
}

/** The id in a token; `null` for what is none. */
export function tokenIdOf(text: string): string | null {
  return TOKEN_TEXT.exec(text)?.[1] ?? null;
}

/** Digests have one length, so comparing them tells nothing about the token, not even its length. */
export function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
