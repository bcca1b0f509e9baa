import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint } from "./fingerprint.js";

/** The same value with its object keys in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("fingerprint", () => {
  const different = [
    ["{} and {a: 1}", {}, { a: 1 }],
    ["1 and '1'", { a: 1 }, { a: "1" }],
    ["null and a missing key", { a: null }, {}],
    ["nested values", { a: { b: 1 } }, { a: { b: 2 } }],
    ["nested keys", { a: { b: 1 } }, { a: { c: 1 } }],
    ["the order of a list", [1, 2], [2, 1]],
    ["an empty list and an empty object", { a: [] }, { a: {} }],
    ["a list and an object with its indexes", { a: ["x"] }, { a: { 0: "x" } }],
    ["true and 'true'", { a: true }, { a: "true" }],
    ["text that looks like the separator", { a: 'x","b":"y' }, { a: "x", b: "y" }],
    ["spaces", { a: "x" }, { a: "x " }],
    ["upper case", { a: "x" }, { a: "X" }],
    ["composed and decomposed letters", { a: "\u00e9" }, { a: "e\u0301" }],
    ["NUL", { a: "x\0y" }, { a: "xy" }],
    ["lone surrogates", { a: "\ud800" }, { a: "\ud801" }],
    ["a lone surrogate and its replacement", { a: "\ud800" }, { a: "\ufffd" }],
  ] as const;
  test.each(different)("IDM-09 tells apart: %s", (_, a, b) => {
    expect(fingerprint(a)).not.toBe(fingerprint(b));
  });

  const equal = [
    ["the order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["1 and 1.0", { a: 1 }, JSON.parse('{"a":1.0}') as unknown],
    ["a key that is undefined and a missing one", { a: 1, b: undefined }, { a: 1 }],
    ["keys that are numbers", { 10: "x", 9: "y", a: 1 }, { a: 1, 9: "y", 10: "x" }],
  ] as const;
  test.each(equal)("IDM-09 does not tell apart: %s", (_, a, b) => {
    expect(fingerprint(a)).toBe(fingerprint(b));
  });

  test("keys of prototypes are keys like others", () => {
    const own = JSON.parse('{"__proto__":{"x":1}}') as unknown;
    expect(fingerprint(own)).not.toBe(fingerprint({}));
    expect(fingerprint(own)).not.toBe(fingerprint(JSON.parse('{"__proto__":{"x":2}}')));
  });

  test("is short and safe in a URL, for a megabyte too", () => {
    expect(fingerprint({ a: "x".repeat(1_000_000) })).toMatch(/^[\w-]{43}$/);
  });

  const json = fc.jsonValue();

  test("the order of keys never matters", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fingerprint(reversed(value))).toBe(fingerprint(value));
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  test("equal fingerprints mean equal JSON", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(fingerprint(a) === fingerprint(b)).toBe(same);
      }),
      { seed: 4, numRuns: 1_000 },
    );
  });
});

/** Lists of pairs in the order of their keys, in place of objects. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return ["object", ...pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))];
}
