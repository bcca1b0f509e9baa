import { MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_TAG_LENGTH } from "../defaults.js";
import { parseInstant } from "../instant.js";
import type { KonveierError } from "../errors.js";
import { isWithin } from "../names.js";
import { nearestName } from "../nearest-name.js";
import { JOB_STATES, type JobState } from "../states.js";
import { badFilter } from "./fault.js";
import type { JsonScalar, Moment, TextField } from "./query.js";
import type { Written } from "./text-reader.js";

/** As the names of queues and jobs, with `*` anywhere. */
const GLOB = /^[A-Za-z0-9._:*-]+$/;
const ID = /^[1-9]\d{0,15}$/;
const FINGERPRINT = /^[0-9a-f]{16}$/;
const WHOLE_NUMBER = /^\d{1,9}$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FROM_NOW = /^([+-]?)(\d{1,9})(ms|s|m|h|d)$/;

export const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A century. */
const MAX_FROM_NOW_MS = 36_500 * UNIT_MS.d;

function wrongValue({ position }: Written, detail: string): KonveierError {
  return badFilter("bad_value", position, detail);
}

export function readState(written: Written): JobState {
  const state = JOB_STATES.find((known) => known === written.text);
  if (state !== undefined) return state;
  const nearest = nearestName(written.text, JOB_STATES);
  const advice = nearest === null ? `the states are ${JOB_STATES.join(", ")}` : `did you mean "${nearest}"?`;
  throw wrongValue(written, `there is no such state; ${advice}`);
}

export function readText(field: TextField, written: Written): string {
  const { text } = written;
  switch (field) {
    case "queue":
    case "name":
      if (!isGlob(text)) {
        const rule = `1 to ${MAX_NAME_LENGTH} letters, digits, ".", "_", ":" or "-"`;
        throw wrongValue(written, `a name has ${rule}; "*" stands for any number of them`);
      }
      return oneStar(text);
    case "id":
    case "flow":
      if (!isJobId(text)) throw wrongValue(written, "an id is a whole number above 0");
      return text;
    case "fingerprint":
      if (FINGERPRINT.test(text)) return text;
      throw wrongValue(written, "a fingerprint has 16 digits of 0-9 and a-f");
    case "tag":
      return within(MAX_TAG_LENGTH, written);
    case "key":
    case "worker":
    case "schedule":
      return within(MAX_KEY_LENGTH, written);
  }
}

function within(maxLength: number, written: Written): string {
  const { text } = written;
  if (text === "" || !isWithin(text, maxLength))
    throw wrongValue(written, `has 1 to ${maxLength} characters`);
  return text;
}

export function isGlob(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && GLOB.test(text);
}

/** Several stars mean the same as one, and would only be tried in vain. */
export function oneStar(glob: string): string {
  return glob.replaceAll(/\*{2,}/g, "*");
}

export function isJobId(text: string): boolean {
  return ID.test(text) && Number.isSafeInteger(Number(text));
}

/** What must be contained. */
export function readPart(written: Written): string {
  if (written.text === "") throw wrongValue(written, "the empty text is contained everywhere");
  return written.text;
}

export function readWholeNumber(written: Written): number {
  if (!WHOLE_NUMBER.test(written.text)) {
    throw wrongValue(written, "must be a whole number of at most 9 digits");
  }
  return Number(written.text);
}

/** RFC 3339, or a time from now: `2h` and `-2h` are two hours ago, `+2h` is in two hours. */
export function readMoment(written: Written): Moment {
  const [, sign, amount, unit] = FROM_NOW.exec(written.text) ?? [];
  if (amount !== undefined) {
    const ms = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
    if (ms > MAX_FROM_NOW_MS) throw wrongValue(written, "is more than a hundred years away");
    // Not -0, which is another value than 0 to whoever compares queries.
    return { fromNowMs: sign === "+" || ms === 0 ? ms : -ms };
  }
  const instant = parseInstant(written.text);
  if (typeof instant === "number") return { instant };
  throw wrongValue(written, `${instant.problem}, or a time from now such as 15m, 2h, 7d or +30m`);
}

/** Bare text that is a JSON number, `true`, `false` or `null` is that; everything else is text. */
export function readScalar(written: Written): JsonScalar {
  return !written.quoted && isJsonWord(written.text) ? readJsonWord(written) : written.text;
}

export function readNumber(written: Written): number {
  if (written.quoted || !JSON_NUMBER.test(written.text)) {
    throw wrongValue(written, "must be a number, such as 10 or -2.5");
  }
  return finite(written);
}

export function isJsonWord(text: string): boolean {
  return text === "true" || text === "false" || text === "null" || JSON_NUMBER.test(text);
}

function readJsonWord(written: Written): JsonScalar {
  if (written.text === "null") return null;
  if (written.text === "true" || written.text === "false") return written.text === "true";
  return finite(written);
}

function finite(written: Written): number {
  const value = Number(written.text);
  if (!Number.isFinite(value)) throw wrongValue(written, "is too large for a number");
  return value === 0 ? 0 : value;
}
