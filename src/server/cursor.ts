import { KonveierError } from "../core/errors.js";
import type { Instant } from "../core/job.js";
import { printJobQuery } from "../core/job-query/print.js";
import type { JobQuery } from "../core/job-query/query.js";
import type { JobCursor } from "../store/jobs.js";
import type { Signer } from "./signer.js";
import { decodeExactly, SIGNATURE_LENGTH } from "./signer.js";

/**
 * Where a page ended, as text for the client. The list and its filter are part of what is signed, so a
 * cursor works only for the list that it came from, and nobody can write one.
 */
export function encodePlace(signer: Signer, list: string, place: string): string {
  return Buffer.from(signer.sign(signedText(list, place)) + place).toString("base64url");
}

/** @throws KonveierError `bad_cursor` */
export function decodePlace(signer: Signer, list: string, cursor: string): string {
  const text = decodeExactly(cursor) ?? "";
  const place = text.slice(SIGNATURE_LENGTH);
  if (!signer.verify(signedText(list, place), text.slice(0, SIGNATURE_LENGTH))) throw badCursor();
  return place;
}

/** Where a walk through the jobs of a query goes on. */
export interface JobWalk {
  /** What relative times in the query are counted from: the same for all pages of a walk. */
  readonly now: Instant;
  readonly after: JobCursor;
}

export function encodeCursor(signer: Signer, query: JobQuery, { now, after }: JobWalk): string {
  return encodePlace(signer, jobsBy(query), `${now}.${after.sort}.${after.id}`);
}

/** @throws KonveierError `bad_cursor` */
export function decodeCursor(signer: Signer, query: JobQuery, cursor: string): JobWalk {
  const [now, sort, id] = decodePlace(signer, jobsBy(query), cursor).split(".");
  if (now === undefined || sort === undefined || id === undefined) throw badCursor();
  return { now: Number(now), after: { sort: Number(sort), id } };
}

function jobsBy(query: JobQuery): string {
  return `jobs ${printJobQuery(query)}`;
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
