import type { FastifyRequest } from "fastify";
import type { Access } from "../access/access.js";
import { identityOf } from "../access/guard.js";
import { sessionIdOf } from "../access/session-cookie.js";
import type { Subscriber } from "./streams.js";

/** Streams of one token are counted together, whether it came itself or opened a session. */
export function subscriberOf({ authenticator, sessions }: Access, request: FastifyRequest): Subscriber {
  const { tokenId, digest } = identityOf(request);
  const session = request.viaSession ? sessionIdOf(request) : null;
  return {
    owner: tokenId,
    isGood: () => (session === null ? authenticator.isGood(tokenId, digest) : sessions.isOpen(session)),
  };
}
