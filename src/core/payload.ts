import { MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from "./defaults.js";
import { KonveierError } from "./errors.js";

/**
 * The rules for payloads and results. Both are stored as JSON text and come back as the same text.
 * What JSON cannot hold is refused where it enters, by name and place, instead of being changed silently.
 */

/**
 * JSON text of a payload or result. `undefined` becomes `null`.
 *
 * @throws KonveierError `payload_not_json` (BigInt, cycle, NaN, function … with its place),
 *   `payload_too_deep`, `payload_too_large`
 */
export function encodeJson(value: unknown): string {
  if (value === undefined) return "null";
  const text = stringify(value);
  // JSON.stringify writes null for NaN and Infinity, which would change the value in silence.
  if (text.includes("null")) {
    const fault = findUnstorable(value);
    if (fault !== null) throw notJson(fault);
  }
  assertJsonText(text);
  return text;
}

function stringify(value: unknown): string {
  let text: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw notJson(findUnstorable(value), error);
  }
  // A function or a symbol has no JSON text at all, which the type of JSON.stringify does not say.
  if (typeof text !== "string") throw notJson(findUnstorable(value));
  return text;
}

/** Checks the limits of JSON text that has been serialised already. */
export function assertJsonText(text: string): void {
  // Three bytes is the most that UTF-8 needs for one UTF-16 unit.
  if (text.length * 3 > MAX_PAYLOAD_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_PAYLOAD_BYTES) {
      throw new KonveierError(
        "payload_too_large",
        `The JSON text has ${bytes} bytes, the limit is ${MAX_PAYLOAD_BYTES}. Keep large data elsewhere and pass its key.`,
      );
    }
  }
  if (exceededLimit(text, MAX_PAYLOAD_DEPTH) !== null) throw tooDeep();
}

/** Why a result is not kept, in words. */
export function resultProblemOf(error: unknown): string {
  const problem =
    error instanceof KonveierError ? error.message : "The result could not be turned into JSON.";
  return problem.replaceAll("payload", "result");
}

function tooDeep(): KonveierError {
  return new KonveierError(
    "payload_too_deep",
    `The JSON value is nested deeper than ${MAX_PAYLOAD_DEPTH} levels.`,
  );
}

interface Unstorable {
  readonly path: string;
  readonly what: string;
}

function notJson(fault: Unstorable | null, cause?: unknown): KonveierError {
  const text =
    fault === null
      ? "The value cannot be written as JSON."
      : `${fault.path} is ${fault.what}, which JSON cannot hold.`;
  return new KonveierError("payload_not_json", text, {
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The first part of a value that JSON would change or refuse; `null` when it cannot be found. */
function findUnstorable(root: unknown): Unstorable | null {
  try {
    return searchUnstorable(root);
  } catch (error) {
    if (error instanceof KonveierError) throw error;
    // A getter or `toJSON` of the value threw.
    return null;
  }
}

function searchUnstorable(root: unknown): Unstorable | null {
  const ancestors = new Set<object>();

  const visit = (value: unknown, path: string): Unstorable | null => {
    switch (typeof value) {
      case "bigint":
        return hasToJson(value) ? null : { path, what: "a BigInt" };
      case "function":
      case "symbol":
        return { path, what: `a ${typeof value}` };
      case "number":
        return Number.isFinite(value) ? null : { path, what: String(value) };
      case "object":
        return value === null ? null : visitObject(value, path);
      case "string":
      case "boolean":
      case "undefined":
        return null;
    }
  };

  const visitObject = (value: object, path: string): Unstorable | null => {
    const json = hasToJson(value) ? value.toJSON() : value;
    if (value instanceof Date && json === null) return { path, what: "an invalid Date" };
    return typeof json === "object" && json !== null ? visitMembers(json, path) : visit(json, path);
  };

  const visitMembers = (value: object, path: string): Unstorable | null => {
    if (ancestors.has(value)) return { path, what: "a reference to itself" };
    if (ancestors.size > MAX_PAYLOAD_DEPTH) throw tooDeep();
    ancestors.add(value);
    for (const [key, member] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
      // JSON leaves functions and symbols out of objects, as it does with `undefined`.
      const leftOut = !Array.isArray(value) && (typeof member === "function" || typeof member === "symbol");
      const found = leftOut ? null : visit(member, place);
      if (found !== null) return found;
    }
    ancestors.delete(value);
    return null;
  };

  return visit(root, "$");
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/**
 * Which of three limits JSON text exceeds first, without parsing it: `depth` counts nested arrays and objects,
 * `members` counts arrays, objects and their fields, `values` counts the commas: what follows the first one in an
 * array or object. `null` when it keeps all.
 */
export function exceededLimit(
  text: string,
  maxDepth: number,
  maxMembers = Infinity,
  maxValues = Infinity,
): "depth" | "members" | "values" | null {
  if (text.length <= Math.min(maxDepth, maxMembers, maxValues)) return null;
  let depth = 0;
  let members = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x2c: // ,
        values += 1;
        if (values > maxValues) return "values";
        break;
      case 0x3a: // :
        members += 1;
        if (members > maxMembers) return "members";
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        members += 1;
        if (depth > maxDepth) return "depth";
        if (members > maxMembers) return "members";
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return null;
}

/** Index of the quote that closes the string opened at `start`; the end of the text when none does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes stands before the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (at - first) % 2 === 1;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * The first number in JSON text that would come back as another one: a whole number beyond the precision
 * of a double (2^53 + 1), however it is written, or a magnitude that becomes Infinity (1e400). Fractions
 * are rounded as everywhere.
 */
export function findInexactNumber(text: string): string | null {
  // Only a long run of digits or an exponent can be inexact: most bodies have neither.
  if (!/\d{16}|\d[eE]/.test(text)) return null;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at);
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0];
      if (token === undefined) continue;
      if (!isExact(token)) return token;
      at += token.length - 1;
    }
  }
  return null;
}

const PLAIN = /^-?\d*(?:\.\d*)?$/;
const FRACTION = /^-?\d*\.\d*[1-9]$/;

function isExact(token: string): boolean {
  // A double holds any fifteen digits, and fractions are rounded: nearly all numbers of a large body end here.
  if (token.length <= 15 && PLAIN.test(token)) return true;
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (FRACTION.test(token)) return true;
  const given = decimalOf(token);
  return given.exponent < 0 || given.digits === decimalOf(String(value)).digits;
}

/** A decimal number as `digits` times ten to the `exponent`, without zeros at either end of the digits. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  let end = all.length;
  while (end > 0 && all[end - 1] === "0") end -= 1;
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + all.length - end };
}
