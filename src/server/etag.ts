import type { FastifyReply, FastifyRequest } from "fastify";
import { KonveierError } from "../core/errors.js";

/**
 * Also one that was made weak: nginx and others do that when they compress an answer. RFC 9110 has `If-Match` compare
 * strongly, for the sake of bytes; our versions are exact, so nothing is lost.
 */
const VERSION_TAG = /^(?:W\/)?"v(\d{1,15})"$/;

/**
 * The tag of what can be edited: its version. Figures that change by themselves, such as counts and the next
 * run, do not change it, so it guards edits and is no good for caches.
 */
export function tag(reply: FastifyReply, version: number): void {
  reply.header("ETag", `"v${version}"`);
}

/**
 * `If-Match: *` is only for what is there, `If-None-Match: *` only for what is not.
 *
 * @throws KonveierError `etag_mismatch`
 */
export async function checkPresence(
  { headers }: FastifyRequest,
  find: () => Promise<unknown>,
): Promise<void> {
  if (isStar(headers["if-match"]) && (await find()) === null) {
    throw new KonveierError("etag_mismatch", "There is none yet, and If-Match: * is only for what is there.");
  }
  if (isStar(headers["if-none-match"]) && (await find()) !== null) {
    throw new KonveierError(
      "etag_mismatch",
      "It is there already, and If-None-Match: * is only for what is not.",
    );
  }
}

/**
 * The version that the client wants to edit: `If-Match` names it; `If-None-Match: *` means that there is
 * none yet, which is 0. `null`: the client does not mind.
 *
 * @throws KonveierError `etag_mismatch` for a tag that is not one of ours
 */
export function expectedVersion({ headers }: FastifyRequest): number | null {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (isStar(noneMatch)) return 0;
  if (match === undefined || isStar(match)) return null;
  const version = VERSION_TAG.exec(match.trim())?.[1];
  if (version !== undefined) return Number(version);
  throw new KonveierError("etag_mismatch", 'Send the ETag of an earlier answer as If-Match, such as "v3".');
}

function isStar(header: string | undefined): boolean {
  return header?.trim() === "*";
}
