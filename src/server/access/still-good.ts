import type { FastifyRequest } from "fastify";
import type { Access } from "./access.js";
import { identityOf, unauthorized } from "./guard.js";
import { sessionIdOf } from "./session-cookie.js";

/** Whether the token or session that a request came with is still good: it may have ended while the request waits. */
export function isStillGood({ authenticator, sessions }: Access, request: FastifyRequest): Promise<boolean> {
  const { tokenId, digest } = identityOf(request);
  const session = request.viaSession ? sessionIdOf(request) : null;
  return session === null ? authenticator.isGood(tokenId, digest) : sessions.isOpen(session);
}

/**
 * Before a request that has waited is answered.
 *
 * @throws KonveierError `unauthorized`
 */
export async function requireStillGood(access: Access, request: FastifyRequest): Promise<void> {
  if (!(await isStillGood(access, request))) throw unauthorized();
}
