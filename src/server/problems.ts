import type { FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "../api/problem.js";
import { ERRORS, isStoreError, KonveierError, type ErrorCode, type Fault } from "../core/errors.js";

/** What the problem document of an error says. */
type Account = Pick<Problem, "code" | "detail"> & {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
};

/** Faults in one answer: enough for one in each job of a batch. */
const MAX_FAULTS = 1_000;
/** Faults that `detail` repeats, for people who read only that. */
const FAULTS_IN_DETAIL = 3;
/** What a healthy server may have to answer. */
const EXPECTED: readonly ErrorCode[] = ["draining", "too_many_streams"];
const RETRY_AFTER_SECONDS = "1";

/** Answers any error as a problem document (RFC 9457). What only the operator may know goes into the log. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const account = accountOf(error);
  const { status, retryable } = ERRORS[account.code];
  reply.isExpectedRefusal = EXPECTED.includes(account.code);
  if (status >= 500 && !reply.isExpectedRefusal) {
    request.log.error({ err: error }, `${request.method} ${pathOf(request)} failed`);
  }
  if (status === 401) reply.header("WWW-Authenticate", 'Bearer realm="konveier"');
  if (status >= 500 && retryable) reply.header("Retry-After", RETRY_AFTER_SECONDS);
  return (
    reply
      .code(status)
      .header("Content-Type", "application/problem+json")
      // Said again for the files of the dashboard: that one is not there must not be remembered when the next build has it.
      .header("Cache-Control", "no-store")
      .send(JSON.stringify(problemOf(account, pathOf(request), request.id)))
  );
}

export function problemOf(account: Account, instance: string, requestId: string): Problem {
  const { code, detail, faults } = account;
  const { title, status, retryable } = ERRORS[code];
  return {
    type: `urn:konveier:problem:${code}`,
    title,
    status,
    detail,
    instance,
    code,
    retryable,
    ...(faults.length > 0 && { errors: faults.slice(0, MAX_FAULTS) }),
    requestId,
  };
}

function accountOf(error: unknown): Account {
  if (error instanceof KonveierError) return accountOfOwn(error);
  // Anything can be thrown.
  const { code, statusCode } = Object(error) as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { code: "body_too_large", detail: "The body is larger than this route takes.", faults: [] };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return {
        code: "unsupported_media_type",
        detail: "Send the body as Content-Type: application/json.",
        faults: [],
      };
  }
  // Fastify and Node say by the status that the request was at fault.
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return { code: "bad_request", detail: "The request is not well-formed HTTP.", faults: [] };
  }
  return {
    code: "internal",
    detail: "This is a defect of the server. Its log has more under this request id.",
    faults: [],
  };
}

function accountOfOwn(error: KonveierError): Account {
  const { code, message, faults } = error;
  // The message names files and quotes the database: that is for the log.
  if (isStoreError(error)) {
    const detail = "The database did not do it. The log of the server has more under this request id.";
    return { code, detail, faults: [] };
  }
  if (code === "internal") return { code, detail: "The log of the server has more.", faults: [] };
  return { code, detail: faults.length > FAULTS_IN_DETAIL ? summaryOf(faults) : message, faults };
}

function summaryOf(faults: readonly Fault[]): string {
  const first = faults.slice(0, FAULTS_IN_DETAIL).map(({ pointer, detail }) => `${pointer} ${detail}`);
  return `${first.join("; ")}; and ${faults.length - FAULTS_IN_DETAIL} more`;
}

/** Without the query: what people put there does not belong into answers and logs. */
export function pathOf(request: { readonly url: string }): string {
  return request.url.split("?", 1)[0] ?? "";
}
