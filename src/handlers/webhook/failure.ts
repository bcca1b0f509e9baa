import { NonRetryableError, RetryAfter } from "../../core/outcomes.js";
import { storableText } from "../../core/storable-text.js";
import type { WebhookRequest } from "./payload.js";

/** Answers below 500 that another attempt may change: timeout, too early, too many requests. */
const RETRIED_STATUSES = new Set([408, 425, 429]);

const MAX_PATH_LENGTH = 200;
const MAX_REASON_LENGTH = 300;

/** Method, host and path for error texts. The query is left out: it may hold a secret. */
export function targetOf({ method, url }: Pick<WebhookRequest, "method" | "url">): string {
  return `${method} ${url.protocol}//${url.host}${storableText(url.pathname, MAX_PATH_LENGTH)}`;
}

/**
 * What an answer that is not 2xx makes of the attempt. Nothing of its body gets into the error.
 *
 * @param delayMs what its `Retry-After` asks for, or `null`
 */
export function answerFailure(target: string, status: number, delayMs: number | null): Error {
  const answered = `${target} answered ${status}`;
  if (status >= 300 && status < 400) {
    return new NonRetryableError(`${answered}: redirects are not followed`);
  }
  if (status >= 400 && status < 500 && !RETRIED_STATUSES.has(status)) return new NonRetryableError(answered);
  if (delayMs === null) return new Error(answered);
  return new RetryAfter(delayMs, `${answered}: retry after ${Math.ceil(delayMs / 1_000)} s`);
}

export function timeoutFailure(target: string, timeoutMs: number, phase: string): Error {
  return new Error(`${target} did not finish within timeoutMs ${timeoutMs} (while ${phase})`);
}

/**
 * The error for a connection that failed. Made from the text alone: errors of Node's HTTP parser hold the
 * bytes that came in, which may be secret.
 */
export function transportFailure(target: string, error: unknown): Error {
  return new Error(`${target} failed: ${storableText(reasonOf(error), MAX_REASON_LENGTH)}`);
}

function reasonOf(error: unknown): string {
  // Several addresses were tried: the aggregate has no text of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  if (!(error instanceof Error)) return "unknown reason";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
