import type { FastifyRequest } from "fastify";
import type { Access } from "../access/access.js";
import { identityOf } from "../access/guard.js";
import { isStillGood } from "../access/still-good.js";
import type { Subscriber } from "./streams.js";

/** Streams of one token are counted together, whether it came itself or opened a session. */
export function subscriberOf(access: Access, request: FastifyRequest): Subscriber {
  return { owner: identityOf(request).tokenId, isGood: () => isStillGood(access, request) };
}
