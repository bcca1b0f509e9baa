import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { KonveierError } from "../core/errors.js";

/** Left to Node, a request without Host would get a bare 400: no problem document, and no line in the log. */
export const HOST_IS_CHECKED_HERE = { requireHostHeader: false } as const;

/** HTTP/1.1 wants a Host (RFC 9112, 3.2). */
export function refuseMissingHost(
  { raw }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const isMissing = raw.httpVersion === "1.1" && raw.headers.host === undefined;
  done(isMissing ? new KonveierError("bad_request", "HTTP/1.1 wants a Host header.") : undefined);
}

/** Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1). Node would answer with a bare 417. */
export function ignoreUnknownExpectations({ server }: FastifyInstance): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}
