/**
 * Every error that Konveier reports, by stable code. The code is the contract; texts may change.
 * `status` is what the HTTP API answers. `retryable` says whether the same call can succeed later.
 */
export const ERRORS = {
  // The request
  malformed_json: { status: 400, title: "The body is not valid JSON", retryable: false },
  bad_cursor: { status: 400, title: "The cursor is not one of this list", retryable: false },
  bad_filter: { status: 400, title: "The filter cannot be understood", retryable: false },
  bad_request: { status: 400, title: "The request cannot be understood", retryable: false },
  unauthorized: { status: 401, title: "A valid bearer token is needed", retryable: false },
  forbidden: { status: 403, title: "The token does not allow this", retryable: false },
  queue_not_allowed: { status: 403, title: "The token does not cover this queue", retryable: false },
  cross_site: { status: 403, title: "The call came from another site", retryable: false },
  not_found: { status: 404, title: "Nothing is here", retryable: false },
  method_not_allowed: { status: 405, title: "This address does not take the method", retryable: false },
  request_timeout: { status: 408, title: "The request took too long to arrive", retryable: true },
  body_too_large: { status: 413, title: "The body is too large", retryable: false },
  unsupported_media_type: { status: 415, title: "The body must be application/json", retryable: false },
  etag_mismatch: { status: 412, title: "It has been changed meanwhile", retryable: false },
  too_many_failures: { status: 429, title: "Too many failed logins", retryable: true },
  validation_failed: { status: 422, title: "The request has faults", retryable: false },

  // Payloads
  payload_too_large: { status: 413, title: "The payload is too large", retryable: false },
  payload_too_deep: { status: 422, title: "The payload is nested too deeply", retryable: false },
  payload_not_json: { status: 422, title: "The payload cannot be stored as JSON", retryable: false },
  number_precision: { status: 422, title: "A number would change when read", retryable: false },

  // Jobs
  schedule_not_found: { status: 404, title: "No such schedule", retryable: false },
  job_not_found: { status: 404, title: "No such job", retryable: false },
  flow_not_found: { status: 404, title: "No such flow", retryable: false },
  idempotency_key_reused: {
    status: 422,
    title: "The idempotency key belongs to another job",
    retryable: false,
  },
  unique_conflict: { status: 409, title: "Another job has the unique key", retryable: false },
  queue_full: { status: 409, title: "The queue is full", retryable: true },
  transaction_unusable: { status: 422, title: "The transaction cannot be joined", retryable: false },
  invalid_state: { status: 409, title: "The job's state does not allow this", retryable: false },
  too_many_steps: { status: 422, title: "The job has too many steps", retryable: false },
  lease_lost: { status: 409, title: "The lease is no longer yours", retryable: false },

  // Bulk operations
  operation_not_found: { status: 404, title: "No such operation", retryable: false },
  preview_expired: { status: 409, title: "The preview is not valid any more", retryable: false },

  // Access
  token_not_found: { status: 404, title: "No such token", retryable: false },

  // The store
  store_busy: { status: 503, title: "The database is locked by another process", retryable: true },
  store_full: { status: 507, title: "The disk is full", retryable: true },
  store_read_only: { status: 503, title: "The database cannot be written", retryable: true },
  store_missing: { status: 503, title: "The database file is gone", retryable: false },
  store_corrupt: { status: 503, title: "The database is damaged", retryable: false },
  store_too_new: { status: 503, title: "The database belongs to a newer version", retryable: false },
  store_unsupported: { status: 503, title: "The database cannot be used from here", retryable: false },
  store_io: { status: 503, title: "The database cannot be reached", retryable: true },
  store_closed: { status: 503, title: "The database has been closed", retryable: false },

  // The server
  too_many_streams: { status: 503, title: "Too many event streams are open", retryable: true },
  draining: { status: 503, title: "The server is stopping", retryable: true },
  internal: { status: 500, title: "Something went wrong here", retryable: false },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** What is wrong in one place of a request. `docs/errors.md` says what each means. */
export const FAULT_CODES = [
  "required",
  "unknown_field",
  "unknown_value",
  "wrong_type",
  "out_of_range",
  "conflict",
  "duplicate",
  "invalid_name",
  "invalid_id",
  "invalid_key",
  "invalid_tag",
  "invalid_instant",
  "invalid_cron",
  "unknown_timezone",
  "payload_invalid",
  "unknown_ref",
  "cycle",

  // In the text of a filter
  "missing_term",
  "missing_qualifier",
  "unknown_qualifier",
  "missing_value",
  "missing_space",
  "bad_operator",
  "boolean_operator",
  "bad_path",
  "bad_value",
  "open_quote",
  "misplaced_quote",
  "too_long",
  "too_many_terms",
  "too_many_values",
] as const;

/** A payload in a batch has the code of its error. */
export type FaultCode = (typeof FAULT_CODES)[number] | ErrorCode;

/** One fault of a request: where (a JSON pointer, RFC 6901) and what. */
export interface Fault {
  readonly pointer: string;
  readonly code: FaultCode;
  readonly detail: string;
  /** Where in the text of a filter: the offset of a character, from 0. */
  readonly position?: number;
}

/** Any error that a caller may want to tell apart, by `code`. */
export class KonveierError extends Error {
  override readonly name: string = "KonveierError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions & { readonly faults?: readonly Fault[] },
  ) {
    super(message, options);
    this.faults = options?.faults ?? [];
  }

  /** All faults of a `validation_failed`, not only the first. */
  readonly faults: readonly Fault[];

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

/**
 * - `reclaimed`: the lease expired and the job went on without this claim, or was settled already
 * - `cancelled`: somebody cancelled the job
 * - `gone`: the job was deleted
 */
export type LeaseLossReason = "reclaimed" | "cancelled" | "gone";

/** A write of a claim that is no longer the current one. The job was not changed. */
export class LeaseLostError extends KonveierError {
  override readonly name = "LeaseLostError";

  constructor(
    readonly jobId: string,
    readonly token: number,
    readonly reason: LeaseLossReason,
  ) {
    super("lease_lost", leaseLostMessage(jobId, token, reason));
  }
}

function leaseLostMessage(jobId: string, token: number, reason: LeaseLossReason): string {
  switch (reason) {
    case "reclaimed":
      return `Job ${jobId} is no longer held with token ${token}: the lease ended, or the claim did. Stop working on it.`;
    case "cancelled":
      return `Job ${jobId} was cancelled while token ${token} held it. Stop working on it.`;
    case "gone":
      return `Job ${jobId}, held with token ${token}, was deleted. Stop working on it.`;
  }
}

export function isStoreError(error: unknown): error is KonveierError {
  return error instanceof KonveierError && error.code.startsWith("store_");
}
