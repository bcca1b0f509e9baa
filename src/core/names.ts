import { MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_TAG_LENGTH } from "./defaults.js";
import { KonveierError, type Fault } from "./errors.js";

/**
 * Names of queues and jobs. They appear in addresses, metric labels and terminals, so the rule is narrow:
 * a letter or digit first, then letters, digits and `.`, `_`, `:`, `-`.
 */
export const NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._:-]*$";
/** Idempotency keys, tags and worker ids: any printable text, without control characters or lone surrogates. */
export const TEXT_PATTERN = "^[^\\p{Cc}\\p{Cs}]+$";

const nameExpression = new RegExp(NAME_PATTERN);
const textExpression = new RegExp(TEXT_PATTERN, "u");

const NAME_RULE = `1 to ${MAX_NAME_LENGTH} letters, digits, ".", "_", ":" or "-", beginning with a letter or digit`;

export function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_NAME_LENGTH && nameExpression.test(value);
}

export function isKey(value: unknown): value is string {
  return typeof value === "string" && isWithin(value, MAX_KEY_LENGTH) && textExpression.test(value);
}

export function isTag(value: unknown): value is string {
  return typeof value === "string" && isWithin(value, MAX_TAG_LENGTH) && textExpression.test(value);
}

/** Counts code points, as `maxLength` of JSON Schema does, and not the halves that some of them are kept in. */
export function isWithin(text: string, length: number): boolean {
  return text.length <= length || (text.length <= 2 * length && Array.from(text).length <= length);
}

export function nameFault(field: string): Fault {
  return { pointer: `/${field}`, code: "invalid_name", detail: `must be ${NAME_RULE}` };
}

/** @throws KonveierError `validation_failed` naming the field and the rule */
export function assertName(field: string, value: unknown): asserts value is string {
  if (!isName(value)) {
    const fault = nameFault(field);
    throw new KonveierError("validation_failed", `${field} ${fault.detail}`, { faults: [fault] });
  }
}
