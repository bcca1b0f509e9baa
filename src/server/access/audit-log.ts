import type { FastifyRequest } from "fastify";
import { storableText } from "../../core/storable-text.js";
import type { Identity } from "../../engine/access/authenticate.js";
import type { EngineContext } from "../../engine/context.js";
import { Failures } from "./failures.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** `false` for a call that only looks, although it is no GET. */
    audited?: false;
    /** What the audit log keeps of a call besides its target. Never payloads or secrets. */
    auditDetail?: (request: FastifyRequest) => string | null;
  }
  interface FastifyRequest {
    auditSeq: number | null;
  }
}

const MAX_DETAIL_LENGTH = 2_000;
/** Refusals of one token in a minute that are written down. */
const MAX_REFUSALS = 30;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
/** What producers and workers do all day is written down with the jobs themselves. */
const DAILY_WORK = new Set<unknown>(["enqueue", "work", "public", "any", undefined]);

/**
 * Writes down who changed what. An entry is durable before the change begins, so nothing is ever changed
 * without one; it gets its status at the end of the call, whether its client is still there or not.
 */
export class AuditLog {
  readonly #refusals;

  constructor(private readonly context: EngineContext) {
    this.#refusals = new Failures(context.clock, MAX_REFUSALS);
  }

  /** A hook, once the request is known to be allowed and well-formed. */
  readonly begin = async (request: FastifyRequest): Promise<void> => {
    const { identity } = request;
    if (identity === null || !isAudited(request)) return;
    const { auditDetail } = request.routeOptions.config;
    await this.#write(request, identity, auditDetail?.(request) ?? null, null);
  };

  /** At the end of the call. */
  readonly finish = (request: FastifyRequest, { statusCode }: { readonly statusCode: number }): void => {
    this.#finish(request, statusCode).catch((error: unknown) => {
      this.context.health.failed(error, "the audit log");
    });
  };

  async #finish(request: FastifyRequest, status: number): Promise<void> {
    const { identity, auditSeq } = request;
    if (auditSeq !== null) await this.context.store.audit.finish(auditSeq, status);
    else if (identity !== null && status === 403 && this.#isNoted(identity))
      await this.#write(request, identity, null, 403);
  }

  /** A login is not known to be one before it has succeeded. */
  async signedIn(request: FastifyRequest, identity: Identity): Promise<void> {
    await this.#write(request, identity, null, null);
  }

  /** Entries are kept for long, and a token that may do nothing could fill the disk with them. */
  #isNoted({ tokenId }: Identity): boolean {
    if (this.#refusals.isBlocked(tokenId)) return false;
    this.#refusals.add(tokenId);
    return true;
  }

  async #write(
    request: FastifyRequest,
    { tokenId, tokenName }: Identity,
    detail: string | null,
    status: number | null,
  ): Promise<void> {
    request.auditSeq = await this.context.store.audit.begin({
      tokenId,
      tokenName,
      session: request.viaSession,
      ip: request.ip,
      requestId: request.id,
      action: request.routeOptions.schema?.operationId ?? request.method,
      target: targetOf(request.params),
      detail: detail === null ? null : storableText(detail, MAX_DETAIL_LENGTH),
      status,
    });
  }
}

function isAudited({ method, routeOptions: { config } }: FastifyRequest): boolean {
  if (config.audited === false || SAFE_METHODS.has(method)) return false;
  return !DAILY_WORK.has(config.access);
}

function targetOf(params: unknown): string | null {
  const [target] = Object.values((params ?? {}) as Record<string, string>);
  return target === undefined ? null : storableText(target, MAX_DETAIL_LENGTH);
}
