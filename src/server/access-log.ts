import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { pathOf } from "./problems.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** `false` for what is asked every few seconds. */
    accessLog?: false;
  }
}

/** The hook that writes one line for each answer. No headers, no query, no body: they hold secrets. */
export function logAccess(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  if (request.routeOptions.config.accessLog !== false) {
    request.log[levelFor(reply.statusCode)](
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
      },
      "request",
    );
  }
  done();
}

function levelFor(status: number): "debug" | "info" | "error" {
  if (status >= 500) return "error";
  return status >= 400 ? "info" : "debug";
}
