import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ERRORS, type ErrorCode } from "../core/errors.js";
import { problemOf } from "./problems.js";
import { requestIdOf } from "./request-id.js";

/** Answers what never became a request: broken HTTP, headers without end, a body that does not come. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = meaningOf(error.code);
  const { status } = ERRORS[code];
  const id = requestIdOf({ headers: {} });
  const body = JSON.stringify(problemOf({ code, detail, faults: [] }, "", id));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
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
