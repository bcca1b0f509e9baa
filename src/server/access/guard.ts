import type { FastifyReply, FastifyRequest } from "fastify";
import { scopesThatAllow, type Capability } from "../../core/access.js";
import type { Clock } from "../../core/clock.js";
import { KonveierError, type ErrorCode } from "../../core/errors.js";
import type { Authenticator, Identity } from "../../engine/access/authenticate.js";
import type { Sessions } from "../../engine/access/sessions.js";
import { isApiAddress } from "../addresses.js";
import { clientNetwork } from "./client-network.js";
import { refuseCrossSite } from "./cross-site.js";
import { Failures } from "./failures.js";
import { KnownClients } from "./known-clients.js";
import { sessionIdOf } from "./session-cookie.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the token must allow. `public`: no token is needed; `any`: every valid token will do. */
    access?: Capability | "public" | "any";
    /** Codes that this route answers besides those that every route may. */
    problems?: readonly ErrorCode[];
  }
  interface FastifyRequest {
    /** `null` where no token is needed. */
    identity: Identity | null;
    /** Whether it came with the cookie of a browser that has signed in. */
    viaSession: boolean;
  }
}

/** Wrong tokens from one address in a minute: a misconfigured worker stays below, a guesser does not. */
const MAX_FAILURES = 30;

/**
 * Lets only those through who may. It runs before anything is read of the body, and decides by the route
 * that was matched, never by comparing paths.
 */
export class Guard {
  readonly #failures;
  readonly #known = new KnownClients();

  constructor(
    clock: Clock,
    private readonly authenticator: Authenticator,
    private readonly sessions: Sessions,
  ) {
    this.#failures = new Failures(clock, MAX_FAILURES);
  }

  /** The hook. @throws KonveierError `unauthorized`, `too_many_failures`, `cross_site`, `forbidden` */
  readonly check = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (isOpen(request)) return;
    request.identity = await this.#identify(request, reply);
    const { access } = request.routeOptions.config;
    if (!request.is404 && access !== undefined) requireCapability(request, access);
  };

  async #identify(request: FastifyRequest, reply: FastifyReply): Promise<Identity> {
    const token = bearerTokenOf(request.headers.authorization);
    const identity =
      token === null ? await this.#bySession(request) : await this.#byToken(token, request, reply);
    if (identity === null) throw unauthorized();
    return identity;
  }

  async #byToken(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Identity | null> {
    const ip = clientNetwork(request.ip);
    const identity = await this.authenticator.byToken(token);
    if (identity !== null && this.#known.has(ip, identity.tokenId)) return identity;
    // Also a right token: else guessing would go on while it is answered with 429.
    this.#failures.refuseBlocked(ip, reply);
    if (identity === null) this.#failures.add(ip);
    else this.#known.add(ip, identity.tokenId);
    return identity;
  }

  async #bySession(request: FastifyRequest): Promise<Identity | null> {
    const id = sessionIdOf(request);
    if (id === null) return null;
    const identity = await this.sessions.find(id);
    if (identity === null) return null;
    refuseCrossSite(request);
    request.viaSession = true;
    return identity;
  }
}

function isOpen(request: FastifyRequest): boolean {
  if (request.is404) return !isApiAddress(request.url);
  return request.routeOptions.config.access === "public";
}

function bearerTokenOf(header: string | undefined): string | null {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (token === undefined) return null;
  // Node hands out header bytes as Latin-1; tokens are UTF-8 like every other text here.
  return Buffer.from(token, "latin1").toString("utf8");
}

function requireCapability(request: FastifyRequest, access: Capability | "public" | "any"): void {
  if (access === "any" || access === "public") return;
  const allowed = identityOf(request).capabilities.has(access);
  if (!allowed) {
    const scopes = scopesThatAllow(access).join(" or ");
    throw new KonveierError("forbidden", `This call needs a token with the scope ${scopes}.`);
  }
  // A page that got hold of a browser's session must not be able to swallow jobs.
  if (access === "work" && request.viaSession) {
    throw new KonveierError("forbidden", "A browser's session cannot work on jobs. Use a worker's token.");
  }
}

/** The same text whether the token is missing, wrong, misspelt or over: nothing is learnt by trying. */
export function unauthorized(): KonveierError {
  return new KonveierError(
    "unauthorized",
    "This needs a valid token, in the header: Authorization: Bearer <token>.",
  );
}

/** Who calls. Only for routes that need a token. */
export function identityOf(request: FastifyRequest): Identity {
  if (request.identity === null) throw new Error("The route is public, so nobody has identified themselves");
  return request.identity;
}
