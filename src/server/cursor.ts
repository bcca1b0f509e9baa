import { KonveierError } from "../core/errors.js";
import type { JobCursor, JobFilter } from "../store/jobs.js";
import type { Signer } from "./signer.js";
import { SIGNATURE_LENGTH } from "./signer.js";

/**
 * Where a page ended, as text for the client. The filter is part of what is signed, so a cursor works
 * only for the list that it came from, and nobody can write one.
 */
export function encodeCursor(signer: Signer, filter: JobFilter, { sort, id }: JobCursor): string {
  const place = `${sort}.${id}`;
  return Buffer.from(signer.sign(signedText(filter, place)) + place).toString("base64url");
}

/** @throws KonveierError `bad_cursor` */
export function decodeCursor(signer: Signer, filter: JobFilter, cursor: string): JobCursor {
  const text = Buffer.from(cursor, "base64url").toString();
  const place = text.slice(SIGNATURE_LENGTH);
  const [sort, id] = place.split(".");
  if (
    sort === undefined ||
    id === undefined ||
    !signer.verify(signedText(filter, place), text.slice(0, SIGNATURE_LENGTH))
  ) {
    throw new KonveierError(
      "bad_cursor",
      "Use the nextCursor of an earlier page of this very list, with the same filter, or none to begin anew.",
    );
  }
  return { sort: Number(sort), id };
}

/** Begins with a word, so that no lease token has the same text. */
function signedText({ state, queue, name, tag }: JobFilter, place: string): string {
  return `cursor ${JSON.stringify([state ?? null, queue ?? null, name ?? null, tag ?? null])} ${place}`;
}
