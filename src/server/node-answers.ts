import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { KonveierError } from "../core/errors.js";

/** Left to Node, a request without Host would get a bare 400: no problem document, and no line in the log. */
export const HOST_IS_CHECKED_HERE = { requireHostHeader: false } as const;

/** HTTP/1.1 wants one Host (RFC 9112, 3.2). Of two, Node hands out the first, and a proxy may have gone by the other. */
export function refuseWrongHost(
  { raw }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text)).length;
  if (hosts > 1) done(new KonveierError("bad_request", "There is more than one Host header."));
  else if (hosts === 0 && raw.httpVersion === "1.1") {
    done(new KonveierError("bad_request", "HTTP/1.1 wants a Host header."));
  } else done();
}

/** Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1). Node would answer with a bare 417. */
export function ignoreUnknownExpectations({ server }: FastifyInstance): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}
