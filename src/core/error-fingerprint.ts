import { createHash } from "node:crypto";
import { maskVarying } from "./mask-varying.js";
import { ownFrame } from "./own-frame.js";
import type { StoredError } from "./stored-error.js";

/** What jobs have in common that died of the same. */
export interface ErrorKind {
  /** 16 hexadecimal digits. The same text in every process and on every machine. */
  readonly fingerprint: string;
  readonly type: string;
  /** The message with `<n>`, `<path>` and the like where errors of one kind differ. */
  readonly message: string;
}

/**
 * The kind of an error: its type, its message without what varies, and the first line of its stack that is the
 * program's own. Never throws.
 *
 * @param error `null`: none is known
 */
export function kindOfError(error: StoredError | null): ErrorKind {
  const { type, message, stack } = error ?? UNKNOWN;
  const masked = maskVarying(message);
  const frame = stack === null ? null : ownFrame(stack);
  // Bundlers put hashes into the names of files.
  const text = JSON.stringify([type, masked, frame === null ? null : maskVarying(frame)]);
  return { fingerprint: createHash("sha256").update(text).digest("hex").slice(0, 16), type, message: masked };
}

const UNKNOWN: StoredError = { type: "Unknown", message: "No error was kept", stack: null };
