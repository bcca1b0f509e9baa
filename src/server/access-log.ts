import type { FastifyReply, FastifyRequest } from "fastify";
import { pathOf } from "./problems.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** `false` for what is asked every few seconds. */
    accessLog?: false;
  }

  interface FastifyReply {
    /** It refuses what a healthy server may have to refuse. */
    isExpectedRefusal: boolean;
  }
}

/** Writes one line for each call. No headers, no query, no body: they hold secrets. */
export function logAccess(request: FastifyRequest, reply: FastifyReply, isDelivered: boolean): void {
  if (request.routeOptions.config.accessLog !== false) {
    request.log[levelFor(reply)](
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
        ...(!isDelivered && { clientGone: true }),
      },
      "request",
    );
  }
}

function levelFor({ statusCode, isExpectedRefusal }: FastifyReply): "debug" | "info" | "warn" | "error" {
  if (statusCode >= 500) return isExpectedRefusal ? "warn" : "error";
  return statusCode >= 400 ? "info" : "debug";
}
