import { KonveierError } from "../core/errors.js";
import type { JobCursor, JobFilter } from "../store/jobs.js";
import type { Signer } from "./signer.js";
import { SIGNATURE_LENGTH } from "./signer.js";

/**
 * Where a page ended, as text for the client. The list and its filter are part of what is signed, so a
 * cursor works only for the list that it came from, and nobody can write one.
 */
export function encodePlace(signer: Signer, list: string, place: string): string {
  return Buffer.from(signer.sign(signedText(list, place)) + place).toString("base64url");
}

/** @throws KonveierError `bad_cursor` */
export function decodePlace(signer: Signer, list: string, cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  const place = text.slice(SIGNATURE_LENGTH);
  if (!signer.verify(signedText(list, place), text.slice(0, SIGNATURE_LENGTH))) throw badCursor();
  return place;
}

/** A place in a list of jobs. */
export function encodeCursor(signer: Signer, filter: JobFilter, { sort, id }: JobCursor): string {
  return encodePlace(signer, jobsBy(filter), `${sort}.${id}`);
}

/** @throws KonveierError `bad_cursor` */
export function decodeCursor(signer: Signer, filter: JobFilter, cursor: string): JobCursor {
  const [sort, id] = decodePlace(signer, jobsBy(filter), cursor).split(".");
  if (sort === undefined || id === undefined) throw badCursor();
  return { sort: Number(sort), id };
}

function jobsBy({ state, queue, name, tag }: JobFilter): string {
  return JSON.stringify([state ?? null, queue ?? null, name ?? null, tag ?? null]);
}

/** Begins with a word, so that no lease token has the same text. */
function signedText(list: string, place: string): string {
  return `cursor ${list} ${place}`;
}

function badCursor(): KonveierError {
  return new KonveierError(
    "bad_cursor",
    "Use the nextCursor of an earlier page of this very list, with the same filter, or none to begin anew.",
  );
}
