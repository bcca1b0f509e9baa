import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { ERRORS, type ErrorCode } from "../core/errors.js";
import { problemOf } from "./problems.js";
import { requestIdOf } from "./request-id.js";
import type { RequestLines } from "./request-lines.js";

interface RawAnswer {
  readonly requestId: string;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly headers?: readonly string[];
}

type ClientError = Error & { readonly code?: string };

/**
 * Answers what never became a request: broken HTTP, headers without end, a body that does not come. The answers to
 * requests before it come first, whole. Then only a request that had begun gets one: what comes behind a request and is
 * none would have the next request of a careless client answered.
 */
export function answerClientErrors(lines: RequestLines, logger: FastifyBaseLogger) {
  return (error: ClientError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    let isFirst = true;
    const isNow = lines.afterAnswers(socket, (unread) => {
      if (!socket.writable || unread?.reply.raw.headersSent === true) return;
      if (unread === null && !isFirst) {
        socket.end();
        return;
      }
      const [code, detail] = meaningOf(error.code);
      answerRaw(socket, logger, { requestId: unread?.request.id ?? newRequestId(), code, detail });
    });
    isFirst = false;
    // The client has gone within a request: nobody reads what it still waits for.
    if (!isNow && error.code === "HPE_INVALID_EOF_STATE") socket.destroy();
  };
}

/** Answers CONNECT, which Node does not take for a request: it would end the connection. */
export function refuseTunnels({ server }: FastifyInstance, lines: RequestLines, logger: FastifyBaseLogger) {
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    // Node has let go of the connection.
    socket.on("error", () => undefined);
    lines.afterAnswers(socket, () => {
      if (!socket.writable) return;
      answerRaw(socket, logger, {
        requestId: requestIdOf(request),
        code: "method_not_allowed",
        detail: "This server is no proxy.",
        headers: ["Allow: "],
      });
    });
  });
}

function answerRaw(socket: Socket, logger: FastifyBaseLogger, answer: RawAnswer): void {
  const { requestId, code, detail, headers = [] } = answer;
  const { status } = ERRORS[code];
  const body = JSON.stringify(problemOf({ code, detail, faults: [] }, "", requestId));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Konveier-Request-Id: ${requestId}`,
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      ...headers,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  logger.info({ requestId, status, problem: detail }, "request");
}

function newRequestId(): string {
  return requestIdOf({ headers: {} });
}

function meaningOf(code: string | undefined): [code: ErrorCode, detail: string] {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["request_timeout", "The request did not arrive in time as a whole."];
    case "HPE_HEADER_OVERFLOW":
      return ["bad_request", "The headers are too large."];
    default:
      return ["bad_request", "The request is not well-formed HTTP."];
  }
}
