import { createHash, randomBytes } from "node:crypto";
import type { BulkAction } from "../../core/bulk-action.js";
import { KonveierError } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import type { JobQuery } from "../../core/job-query/query.js";
import { decodeExactly, SIGNATURE_LENGTH, type Signer } from "../signer.js";

/** Long enough to look at the samples and think, short enough that the figures still mean something. */
export const PREVIEW_VALID_MS = 600_000;

/** All that an operation needs to do just what was previewed. */
export interface PreviewedBulk {
  readonly action: BulkAction;
  readonly query: JobQuery;
  readonly queueGlobs: readonly string[] | null;
  readonly untilId: string;
  readonly matched: number;
  /** Id of the token that asked for the preview: only it can start the operation. */
  readonly by: string;
  readonly at: Instant;
}

/** The preview as text for the client. The server remembers nothing of it, so it is signed. */
export function encodePreview(signer: Signer, preview: PreviewedBulk): string {
  const nonce = randomBytes(12).toString("base64url");
  const text = JSON.stringify({ ...preview, nonce });
  return Buffer.from(signer.sign(signedText(text)) + text).toString("base64url");
}

/** @throws KonveierError `preview_expired` for one that is too old, of another token, or none of ours */
export function decodePreview(signer: Signer, token: string, by: string, now: Instant): PreviewedBulk {
  const decoded = decodeExactly(token) ?? "";
  const text = decoded.slice(SIGNATURE_LENGTH);
  if (signer.verify(signedText(text), decoded.slice(0, SIGNATURE_LENGTH))) {
    const preview = JSON.parse(text) as PreviewedBulk;
    if (preview.by === by && now - preview.at < PREVIEW_VALID_MS) return preview;
  }
  throw new KonveierError(
    "preview_expired",
    "Make a new preview and start that one. A preview is good for ten minutes, and for the token that made it.",
  );
}

/** What makes starting it twice start it once: a preview has one text, and `decodePreview` takes no other. */
export function previewDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Begins with a word, so that no cursor and no lease token has the same text. */
function signedText(text: string): string {
  return `preview ${text}`;
}
