import { ApiError, ConnectionError } from "../client/errors.js";
import { ERRORS, KonveierError, type ErrorCode, type Fault } from "../core/errors.js";
import { CommandError } from "./command-error.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { harmless } from "./output/harmless.js";

export interface Failure {
  /** One line, and one more for each fault. */
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** What to tell the person whose command failed, and how the process ends. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return { text: harmless(error.message), exitCode: error.exitCode };
  if (error instanceof ConnectionError) {
    const question = error.retryable ? " Is the server running?" : "";
    return {
      text: harmless(`${error.message}.${question} --url or KONVEIER_URL says where it is.`),
      exitCode: EXIT.unreachable,
    };
  }
  if (error instanceof KonveierError) return refusal(error);
  return { text: harmless(`something unexpected failed: ${String(error)}`), exitCode: EXIT.failure };
}

function refusal(error: KonveierError): Failure {
  const { code, message, faults } = error;
  const request = error instanceof ApiError ? `, request ${error.requestId}` : "";
  const status = error instanceof ApiError ? error.status : ERRORS[code].status;
  const line = `${ended(message)}${adviceOn(code)} (${code}${request})`;
  // The message of a filter's fault has its position instead of the pointer.
  const untold = faults.filter(({ pointer, detail, position }) =>
    position === undefined ? !message.includes(`${pointer} ${detail}`) : !message.includes(detail),
  );
  return {
    text: [line, ...untold.map(faultLine)].map((text) => harmless(text)).join("\n"),
    exitCode: exitCodeOf(code, status),
  };
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function faultLine({ pointer, detail }: Fault): string {
  return `  ${pointer}: ${detail}`;
}

function adviceOn(code: ErrorCode): string {
  switch (code) {
    case "unauthorized":
      return " The one that was sent is not: give another in KONVEIER_TOKEN or with --token-file.";
    case "forbidden":
    case "queue_not_allowed":
      return " `konveier tokens create` makes a token that allows more.";
    case "preview_expired":
      return " Say it again to get a new preview.";
    default:
      return "";
  }
}

function exitCodeOf(code: ErrorCode, status: number): ExitCode {
  if (code === "idempotency_key_reused") return EXIT.conflict;
  switch (status) {
    case 401:
    case 403:
      return EXIT.notAllowed;
    case 404:
      return EXIT.notFound;
    case 409:
    case 412:
      return EXIT.conflict;
    case 400:
    case 413:
    case 422:
      return EXIT.usage;
    default:
      return EXIT.failure;
  }
}
