import type { FastifyReply, FastifyRequest } from "fastify";
import { pathOf } from "./problems.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** `false` for what is asked every few seconds. */
    accessLog?: false;
  }
}

/** Writes one line for each call. No headers, no query, no body: they hold secrets. */
export function logAccess(request: FastifyRequest, reply: FastifyReply, isDelivered: boolean): void {
  if (request.routeOptions.config.accessLog !== false) {
    request.log[levelFor(reply.statusCode)](
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

function levelFor(status: number): "debug" | "info" | "error" {
  if (status >= 500) return "error";
  return status >= 400 ? "info" : "debug";
}
