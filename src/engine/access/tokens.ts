import { ALL_SCOPES, type Scope } from "../../core/access.js";
import { KonveierError, type Fault } from "../../core/errors.js";
import { validationError } from "../../core/job-request.js";
import type { Instant } from "../../core/job.js";
import { QUEUE_GLOB_PATTERN } from "../../core/queue-globs.js";
import type { Token } from "../../store/tokens.js";
import type { EngineContext } from "../context.js";
import { digestOf, newTokenText } from "./token-text.js";

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default `null`: every queue. */
  readonly queues?: readonly string[] | null;
  /** Default `null`: never. */
  readonly expiresAt?: Instant | null;
}

/** A token and its text, which is known only now. */
export interface IssuedToken {
  readonly token: Token;
  readonly text: string;
}

/** While a token is replaced, both the old and the new one are good for this long unless told otherwise. */
export const DEFAULT_OVERLAP_MS = 24 * 3_600_000;

/**
 * Makes a token. Its text is in the answer and nowhere else.
 *
 * @param createdBy id of the token that asks for it
 * @throws KonveierError `validation_failed`, `store_…`
 */
export async function createToken(
  { store }: EngineContext,
  request: TokenRequest,
  createdBy: string,
): Promise<IssuedToken> {
  const faults = faultsOfToken(request, store.now());
  if (faults.length > 0) throw validationError(faults);
  const { name, scopes, queues = null, expiresAt = null } = request;
  const { id, text } = newTokenText();
  const digest = digestOf(text);
  const token = await store.tokens.insert({ id, name, digest, scopes, queues, createdBy, expiresAt });
  return { token, text };
}

/**
 * Makes a token with the rights of an old one, which goes on for `overlapMs` so that all its users can be told.
 * The new one never expires by itself later than the old one would have.
 *
 * @throws KonveierError `token_not_found` when it is not known or over
 */
export async function rotateToken(
  { store }: EngineContext,
  id: string,
  overlapMs: number,
  createdBy: string,
): Promise<IssuedToken> {
  const successor = newTokenText();
  const digest = digestOf(successor.text);
  const token = await store.tokens.replace(id, { id: successor.id, digest, createdBy }, overlapMs);
  if (token === null) throw tokenNotFound(id);
  return { token, text: successor.text };
}

/** From now on the token is refused, and the sessions that it opened are over. @throws KonveierError `token_not_found` */
export async function revokeToken({ store }: EngineContext, id: string): Promise<Token> {
  const token = await store.tokens.revoke(id);
  if (token === null) throw tokenNotFound(id);
  return token;
}

/** Revoked or expired. */
export function isOver(
  { revokedAt, expiresAt }: Pick<Token, "revokedAt" | "expiresAt">,
  now: Instant,
): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

function faultsOfToken({ scopes, queues, expiresAt }: TokenRequest, now: Instant): Fault[] {
  const faults: Fault[] = [];
  if (scopes.length === 0)
    faults.push({ pointer: "/scopes", code: "required", detail: "must name at least one" });
  for (const [index, scope] of scopes.entries()) {
    if (ALL_SCOPES.includes(scope)) continue;
    const detail = `must be one of ${ALL_SCOPES.join(", ")}`;
    faults.push({ pointer: `/scopes/${index}`, code: "unknown_value", detail });
  }
  for (const [index, glob] of (queues ?? []).entries()) {
    if (new RegExp(QUEUE_GLOB_PATTERN).test(glob)) continue;
    const detail = 'must be a queue name, in which "*" stands for any text';
    faults.push({ pointer: `/queues/${index}`, code: "invalid_name", detail });
  }
  if (queues != null && scopes.includes("admin")) {
    // It could make itself a token without the limit.
    faults.push({ pointer: "/queues", code: "conflict", detail: "cannot limit an admin token" });
  }
  if (queues?.length === 0) {
    faults.push({
      pointer: "/queues",
      code: "required",
      detail: "must name at least one; leave it out for all",
    });
  }
  if (expiresAt != null && expiresAt <= now) {
    faults.push({ pointer: "/expiresAt", code: "out_of_range", detail: "must be in the future" });
  }
  return faults;
}

function tokenNotFound(id: string): KonveierError {
  return new KonveierError("token_not_found", `There is no valid token with the id ${JSON.stringify(id)}.`);
}
