import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Capability } from "../core/access.js";
import { KonveierError, type ErrorCode } from "../core/errors.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the token must allow. `public`: no token is needed; `any`: every valid token will do. */
    access?: Capability | "public" | "any";
    /** Codes that this route answers besides those that every route may. */
    problems?: readonly ErrorCode[];
  }
}

/** The same text whether the token is missing, wrong or misspelt: nothing is learnt by trying. */
const REFUSAL = "Send the API token in the header: Authorization: Bearer <token>.";

/** Unknown addresses below /v1 are refused like known ones, so that nobody can map the API without a token. */
const API_PATH = /^\/v1(?![A-Za-z0-9_-])/i;

/**
 * The hook that lets only requests with the API token through. It runs before anything is read of the
 * body, and decides by the route that was matched, never by comparing paths.
 *
 * @throws RangeError for a token that no client could send
 */
export function requireToken(apiToken: string) {
  if (!/^[^\s\p{Cc}]+$/u.test(apiToken)) {
    throw new RangeError("The API token must not be empty or hold spaces or control characters.");
  }
  const expected = digest(Buffer.from(apiToken));
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (isOpen(request) || isAuthorized(request.headers.authorization, expected)) done();
    else done(new KonveierError("unauthorized", REFUSAL));
  };
}

function isOpen(request: FastifyRequest): boolean {
  if (request.is404) return !API_PATH.test(request.url);
  return request.routeOptions.config.access === "public";
}

function isAuthorized(header: string | undefined, expected: Buffer): boolean {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  // Node hands out header bytes as Latin-1; the token is UTF-8 like every other text here.
  return token !== undefined && timingSafeEqual(digest(Buffer.from(token, "latin1")), expected);
}

/** Digests have one length, so comparing them tells nothing about the token, not even its length. */
function digest(token: Buffer): Buffer {
  return createHash("sha256").update(token).digest();
}
