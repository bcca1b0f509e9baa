import fc from "fast-check";
import type { ApiDocument, Schema } from "./api-document.js";

/** Stands for a JSON text that no JavaScript value gives, such as `1e999`. See `jsonText`. */
const AS_TEXT = "\u{F0000}";
/** Stands for what an earlier answer said, such as a lease token. See `Memory`. */
export const remembered = (what: string): string => `{{${what}}}`;

/** Fields that only make sense with a value that the server has given out. */
const REMEMBERED: Readonly<Record<string, string>> = {
  leaseToken: "leaseToken",
  cursor: "cursor",
  previewToken: "previewToken",
};

const FILTERS = [
  "queue:default",
  "state:dead,cancelled name:a*",
  'tag:x error~"no such"',
  "payload.a.b=1",
  "payload.a>=2 attempt>1",
  "created>1h",
  "-state:pending",
  "key:k",
  "(",
  'name:"',
  "payload.=",
  "'; DROP TABLE jobs; --",
  "error~%_%",
  "a".repeat(5_000),
];
const INSTANTS = [
  "2026-01-05T09:00:00Z",
  "2026-02-30T25:61:61Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999+23:59",
  "2026-01-05T09:00:00.5-00:00",
];
const CRONS = ["* * * * *", "0 9 * * mon-fri", "0 0 31 2 *", "@daily", "*/0 * * * *", "0 0 1--1000000 * *"];
const ZONES = ["UTC", "Europe/Berlin", "Mars/Olympus", "../etc/passwd"];
const NAMES = ["default", "other", "a", "b", "A.b:c-d_9", "__proto__", "constructor", "x".repeat(128)];

/** Texts that trip code up. */
const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "\u202e\u2066",
  "__proto__",
  "constructor",
  "toString",
  "..",
  "../../etc/passwd",
  "%00",
  "%",
  "null",
  "NaN",
  "-1",
  "1e3",
  "0x10",
  "9007199254740993",
  "'; DROP TABLE jobs; --",
  "${7*7}",
  "<script>alert(1)</script>",
  "\r\nX-Evil: 1",
  "é🙂".repeat(40),
  "x".repeat(129),
  "x".repeat(70_000),
];

const HOSTILE_NUMBERS = [
  ...["1e999", "-1e999", "9007199254740993", "1e-400", "-0", "0.1", "1.0", "1e2", "18446744073709551616"],
  ...["-1", "2147483648", "9007199254740991", "3153600000001", "1".repeat(400), "0".repeat(2), "+1", "NaN"],
].map((text) => AS_TEXT + text);

function nested(depth: number, open: string, close: string): string {
  return `${AS_TEXT}${open.repeat(depth)}1${close.repeat(depth)}`;
}

const DEEP = [
  nested(63, "[", "]"),
  nested(65, "[", "]"),
  nested(65, '{"a":', "}"),
  nested(9_999, "[", "]"),
  nested(10_001, '{"__proto__":', "}"),
];

const hostileObject = fc.constantFrom<unknown>(
  {},
  [],
  [[]],
  { toString: 1, valueOf: null, length: -1 },
  `${AS_TEXT}{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
  `${AS_TEXT}{"a":1,"a":2}`,
);

/** A value that does not belong where it is put, most of the time. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53),
  fc.constantFrom<unknown>(...HOSTILE_NUMBERS),
  fc.constantFrom<unknown>(...HOSTILE_TEXTS),
  { arbitrary: fc.constantFrom<unknown>(...DEEP), weight: 1 },
  hostileObject,
  fc.jsonValue({ maxDepth: 3 }),
);

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** Of the fields that may be left out, for each one that is there: many fields exclude each other. */
const LEFT_OUT = 3;

/** Makes values that a schema allows, at and within its bounds. What a field means is known by its name. */
export class ValidValues {
  constructor(private readonly document: ApiDocument) {}

  of(given: Schema, name = ""): fc.Arbitrary<unknown> {
    const schema = this.document.resolve(given);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => this.of(option, name)));
    switch (schema.type) {
      case "object":
        return this.#object(schema);
      case "array":
        return this.#array(schema, name);
      case "integer":
      case "number":
        return numberWithin(schema, name);
      case "boolean":
        return fc.boolean();
      case "string":
        return textFor(schema, name);
      default:
        return fc.jsonValue({ maxDepth: 3 });
    }
  }

  #object({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
    const names = Object.keys(properties);
    const values = names.map((name) => this.of(properties[name]!, name));
    const chosen = names.map(() => fc.nat({ max: LEFT_OUT }).map((choice) => choice === 0));
    return fc.tuple(fc.tuple(...values), fc.tuple(...chosen)).map(([all, isChosen]) => {
      const entries = names.map((name, index) => [name, all[index]] as const);
      return Object.fromEntries(
        entries.filter(([name], index) => isChosen[index] === true || required.includes(name)),
      );
    });
  }

  #array({ items = {}, minItems = 0, maxItems = 3 }: Schema, name: string): fc.Arbitrary<unknown> {
    const maxLength = Math.max(minItems, Math.min(maxItems, minItems + 3));
    return fc.array(this.of(items, name === "ids" ? "id" : name), { minLength: minItems, maxLength });
  }
}

function numberWithin({ type, minimum = 0, maximum = 1_000 }: Schema, name: string): fc.Arbitrary<number> {
  // Waits are bounded by the test's patience, so most of them are short.
  const usual = Math.min(maximum, name === "leaseMs" ? 60_000 : minimum + 20);
  const edges = fc.constantFrom(minimum, maximum);
  const small = fc.integer({ min: Math.ceil(minimum), max: Math.floor(usual) });
  if (type === "number")
    return fc.oneof(edges, small, fc.double({ min: minimum, max: maximum, noNaN: true }));
  return fc.oneof({ arbitrary: edges, weight: 1 }, { arbitrary: small, weight: 3 });
}

function textFor({ pattern, maxLength }: Schema, name: string): fc.Arbitrary<string> {
  const meant = REMEMBERED[name];
  if (meant !== undefined) return oftenOf(remembered(meant), fc.string());
  if (name === "id") return fc.oneof(fc.constant(remembered("leaseId")), jobId);
  if (name === "q") return fc.constantFrom(...FILTERS);
  if (name === "cron") return fc.constantFrom(...CRONS);
  if (name === "timezone") return fc.constantFrom(...ZONES);
  if (name === "token") return oftenOf(remembered("token"), fc.string());
  if (pattern?.includes("\\d{4}") === true) return fc.constantFrom(...INSTANTS);
  if (pattern?.startsWith("^[A-Za-z0-9]") === true) return fc.constantFrom(...NAMES);
  return fc.oneof(
    fc.constantFrom("a", "b", "x".repeat(maxLength ?? 300)),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: Math.min(20, maxLength ?? 20) }),
  );
}

function oftenOf(usual: string, other: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: 9 }, { arbitrary: other, weight: 1 });
}

export const jobId: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map(String),
  fc.constantFrom("0", "9007199254740991", "9007199254740993", "18446744073709551616"),
);

/** One place of a value changed: another value there, a field less, a field more. */
export function spoil(value: unknown, at: number, by: unknown): unknown {
  if (typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  const choice = at % (keys.length + 2);
  if (choice === keys.length) return { ...value, [typeof by === "string" ? by : "extra"]: by };
  if (choice === keys.length + 1) return by;
  const key = keys[choice]!;
  const rest = Math.floor(at / (keys.length + 2));
  const member = (value as Record<string, unknown>)[key];
  if (rest % 3 === 0 && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
  const changed = rest % 3 === 1 ? by : spoil(member, Math.floor(rest / 3), by);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === choice ? changed : item));
  return { ...value, [key]: changed };
}

/** As JSON, with the texts that stand for JSON of their own. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return (text ?? "null").replaceAll(
    new RegExp(`"${AS_TEXT}((?:[^"\\\\]|\\\\.)*)"`, "gu"),
    (_all, raw: string) => JSON.parse(`"${raw}"`) as string,
  );
}
