import type { FaultCode } from "../core/errors.js";
import { Type, type TString, type TStringOptions } from "typebox";
import {
  MAX_KEY_LENGTH,
  MAX_LEASE_MS,
  MAX_NAME_LENGTH,
  MAX_TAG_LENGTH,
  MIN_LEASE_MS,
} from "../core/defaults.js";
import { RFC3339_PATTERN } from "../core/instant.js";
import { NAME_PATTERN, nameFault, TEXT_PATTERN } from "../core/names.js";

/** For objects that a client sends: a misspelt field is a fault, never ignored. */
export const CLOSED = { additionalProperties: false } as const;

/**
 * What a text must be, said in full wherever it is not: the `x-fault` of its schema. Patterns tell
 * programs the same, but no person wants to read one in an error.
 */
export interface TextRule {
  readonly code: FaultCode;
  readonly detail: string;
}

function text(code: FaultCode, detail: string, options: TStringOptions): TString {
  return Type.String({ ...options, "x-fault": { code, detail } satisfies TextRule });
}

const NAME_FAULT = nameFault("name");

/** Of a queue or a job. */
export const Name = text(NAME_FAULT.code, NAME_FAULT.detail, {
  pattern: NAME_PATTERN,
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
});

/** Idempotency keys, worker ids and claim ids. */
export const Key = text("invalid_key", `must be 1 to ${MAX_KEY_LENGTH} printable characters`, {
  pattern: TEXT_PATTERN,
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
});

export const Tag = text("invalid_tag", `must be 1 to ${MAX_TAG_LENGTH} printable characters`, {
  pattern: TEXT_PATTERN,
  minLength: 1,
  maxLength: MAX_TAG_LENGTH,
});

/** A point in time as a client may give it. */
export const InstantInput = text(
  "invalid_instant",
  "must be RFC 3339 with an offset, such as 2026-01-05T09:00:00.000Z",
  { pattern: RFC3339_PATTERN },
);

/** A point in time as the server gives it: RFC 3339, UTC, milliseconds. */
export const Instant = Type.String({ format: "date-time" });

export const Nullable = {
  Instant: Type.Union([Instant, Type.Null()]),
  Text: Type.Union([Type.String(), Type.Null()]),
  WholeNumber: Type.Union([Type.Integer(), Type.Null()]),
  /** Schedule and slot that a job was made for. */
  Origin: Type.Union([Type.Object({ key: Type.String(), slot: Instant }), Type.Null()]),
  FlowPlace: Type.Union([Type.Object({ id: Type.String(), ref: Type.String() }), Type.Null()]),
};

/** Of an answer with status 204. */
export const NoContent = Type.Unknown({ description: "Done. The answer has no body." });

/** Decimal text: ids may pass 2^53. */
export const JobId = Type.String();

/** An id that a client gives where nobody would tell it that there is no such job. */
export const JobIdInput = text("invalid_id", "must be the id of a job: a whole number from 1", {
  pattern: "^[1-9][0-9]{0,18}$",
});

/** How long a lease holds without a heartbeat. */
export const LeaseMs = Type.Integer({ minimum: MIN_LEASE_MS, maximum: MAX_LEASE_MS });

/** How many items of a list are wanted. */
export const Limit = (maximum: number) => Type.Integer({ minimum: 1, maximum });
