import type { Problem } from "../api/problem.js";
import { KonveierError, type ErrorCode, type Fault } from "../core/errors.js";

/** The server refused a request. `code`, `message` and `faults` are those of its problem document. */
export class ApiError extends KonveierError {
  override readonly name = "ApiError";
  readonly status: number;
  /** The log of the server has more under this id. */
  readonly requestId: string;
  readonly #retryable: boolean;

  /** @param retryAfterMs how long the server asks to wait before the next try; `null` when it does not say */
  constructor(
    { code, detail, errors, status, requestId, retryable }: Problem,
    readonly retryAfterMs: number | null,
  ) {
    // A newer server may use codes that this version does not know. They are passed on as they are.
    super(code as ErrorCode, detail, { faults: (errors ?? []) as readonly Fault[] });
    this.status = status;
    this.requestId = requestId;
    this.#retryable = retryable;
  }

  override get retryable(): boolean {
    return this.#retryable;
  }
}

/** The server could not be reached, did not answer in time, or something else than Konveier answered. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    message: string,
    /** Whether the same request can succeed later. */
    readonly retryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether the same request can succeed later. */
export function mayPass(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof ConnectionError) && error.retryable;
}

/** The token is missing, wrong, or does not allow this. */
export function isRefusedToken(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}
