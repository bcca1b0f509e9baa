import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH } from "./defaults.js";
import { KonveierError } from "./errors.js";
import { assertJsonText, encodeJson, exceededLimit, findInexactNumber } from "./payload.js";

/** Code and message of the error that a value is refused with. */
function refused(value: unknown): string {
  try {
    encodeJson(value);
  } catch (error) {
    if (error instanceof KonveierError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "not refused";
}

function cycle(): Record<string, unknown> {
  const value: Record<string, unknown> = { a: 1 };
  value["self"] = value;
  return value;
}

function nested(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe("encodeJson", () => {
  test("undefined becomes null, at the root and in lists; as a member it is left out", () => {
    expect(encodeJson(undefined)).toBe("null");
    expect(encodeJson([undefined, 1])).toBe("[null,1]");
    expect(encodeJson({ a: undefined, b: null })).toBe('{"b":null}');
  });

  test("functions and symbols as members are left out, whatever stands beside them", () => {
    expect(encodeJson({ f: () => 1, s: Symbol("s"), a: 1 })).toBe('{"a":1}');
    expect(encodeJson({ f: () => 1, s: Symbol("s"), a: null })).toBe('{"a":null}');
  });

  test.each<[string, unknown, string]>([
    ["PAY-04 a BigInt", { n: 1n }, "$.n is a BigInt"],
    ["PAY-04 a BigInt deep down", { list: [{ a: { b: 10n ** 30n } }] }, "$.list[0].a.b is a BigInt"],
    ["PAY-04 a BigInt alone", 1n, "$ is a BigInt"],
    ["PAY-06 a cycle", cycle(), "$.self is a reference to itself"],
    ["PAY-06 a cycle in a list", [[cycle()]], "$[0][0].self is a reference to itself"],
    ["PAY-09 NaN", { n: Number.NaN }, "$.n is NaN"],
    ["PAY-09 Infinity", [1, Infinity], "$[1] is Infinity"],
    ["PAY-09 -Infinity", -Infinity, "$ is -Infinity"],
    ["NaN beside null", { a: null, b: { c: Number.NaN } }, "$.b.c is NaN"],
    ["a function alone", () => 1, "$ is a function"],
    ["a function in a list", [() => 1], "$[0] is a function"],
    ["a symbol alone", Symbol("s"), "$ is a symbol"],
    ["a symbol in a list", [Symbol("s")], "$[0] is a symbol"],
    ["an invalid Date", { at: new Date(Number.NaN) }, "$.at is an invalid Date"],
    ["NaN from toJSON", { a: { toJSON: () => ({ b: Number.NaN }) } }, "$.a.b is NaN"],
    ["a BigInt from toJSON", { a: { toJSON: () => 1n } }, "$.a is a BigInt"],
    ["a function from toJSON", { toJSON: () => () => 1 }, "$ is a function"],
  ])("refuses %s and names its place", (_, value, message) => {
    expect(refused(value)).toBe(`payload_not_json: ${message}, which JSON cannot hold.`);
  });

  test("PAY-04 a toJSON or a getter that throws is a typed error with its cause", () => {
    const cause = new Error("mine");
    const throws = () => {
      throw cause;
    };
    for (const value of [
      { a: { toJSON: throws } },
      Object.defineProperty({}, "a", { enumerable: true, get: throws }),
    ]) {
      expect(refused(value)).toBe("payload_not_json: The value cannot be written as JSON.");
      expect(() => encodeJson(value)).toThrow(expect.objectContaining({ cause }) as Error);
    }
  });

  test("values with toJSON are taken as what it gives", () => {
    const self = {
      a: null,
      toJSON() {
        return this;
      },
    };
    expect(encodeJson({ at: new Date(0), none: null })).toBe('{"at":"1970-01-01T00:00:00.000Z","none":null}');
    expect(encodeJson({ a: { toJSON: () => null }, b: { toJSON: () => undefined } })).toBe('{"a":null}');
    expect(encodeJson([self, self])).toBe('[{"a":null},{"a":null}]');
  });

  test("a value that comes twice is no cycle", () => {
    const twice = { a: null };
    expect(encodeJson([twice, { b: twice }])).toBe('[{"a":null},{"b":{"a":null}}]');
  });

  test("PAY-07 keys of prototypes are kept and change no prototype", () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":null}},"toString":1}';
    expect(encodeJson(JSON.parse(text))).toBe(text);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("PAY-01 PAY-03 NUL and lone surrogates are kept as escapes, in keys too", () => {
    expect(encodeJson({ "a\0": "\ud800", "\udc59": "x\0y" })).toBe(
      '{"a\\u0000":"\\ud800","\\udc59":"x\\u0000y"}',
    );
  });

  test("the word null in text or in a key is no fault", () => {
    expect(encodeJson({ null: "null", f: () => 1 })).toBe('{"null":"null"}');
  });

  test("bounds the size in bytes, not in characters", () => {
    const largest = "x".repeat(MAX_PAYLOAD_BYTES - 2);
    expect(encodeJson(largest)).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(refused(`${largest}x`)).toMatch(
      /^payload_too_large: The JSON text has 262145 bytes, the limit is 262144/,
    );
    expect(refused("ё".repeat(MAX_PAYLOAD_BYTES / 2))).toMatch(/^payload_too_large/);
    expect(encodeJson("ё".repeat(MAX_PAYLOAD_BYTES / 2 - 1))).toHaveLength(MAX_PAYLOAD_BYTES / 2 + 1);
  });

  test.each([1, null, "x", [], { a: null }])("bounds the depth, with %j innermost", (innermost) => {
    const own = typeof innermost === "object" && innermost !== null ? 1 : 0;
    expect(() => encodeJson(nested(MAX_PAYLOAD_DEPTH - own, innermost))).not.toThrow();
    expect(refused(nested(MAX_PAYLOAD_DEPTH - own + 1, innermost))).toMatch(/^payload_too_deep/);
    expect(refused(nested(1_000, innermost))).toMatch(/^payload_too_deep/);
  });

  test("depth is refused as such also where JSON.stringify itself gives up", () => {
    expect(refused(nested(100_000, null))).toMatch(/^payload_too_deep/);
    const deepCycle = cycle();
    deepCycle["self"] = nested(200, deepCycle);
    expect(refused(deepCycle)).toMatch(/^payload_too_deep/);
  });

  test("whatever JSON holds comes out as it went in", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(encodeJson(value)).toBe(JSON.stringify(value));
      }),
      { seed: 6, numRuns: 1_000 },
    );
  });
});

describe("assertJsonText", () => {
  const accepted = (text: string): boolean => {
    try {
      assertJsonText(text);
      return true;
    } catch {
      return false;
    }
  };

  test("brackets within strings do not count as depth", () => {
    expect(accepted(JSON.stringify("[{".repeat(500)))).toBe(true);
    expect(accepted(JSON.stringify({ ['"[\\'.repeat(200)]: '\\"[[['.repeat(200) }))).toBe(true);
    expect(accepted("[".repeat(129) + "]".repeat(129))).toBe(false);
    expect(accepted("[".repeat(128) + "]".repeat(128))).toBe(true);
    expect(accepted(`[${"[],".repeat(500)}1]`)).toBe(true);
  });

  test("agrees with measuring the parsed value", () => {
    const depth = (value: unknown): number =>
      typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth));
    const shape = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(shape, fc.integer({ min: 120, max: 130 }), (value, levels) => {
        const whole = nested(levels, value);
        expect(accepted(JSON.stringify(whole))).toBe(depth(whole) <= MAX_PAYLOAD_DEPTH);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe("findInexactNumber", () => {
  test.each([
    ["2^53 + 1", "9007199254740993"],
    ["-(2^53 + 1)", "-9007199254740993"],
    ["beyond the largest double", "1e400"],
    ["an exponent with a sign and a fraction", "-1.5E+999"],
    ["400 digits", "1".repeat(400)],
  ])("PAY-09 finds %s", (_, token) => {
    expect(findInexactNumber(token)).toBe(token);
    expect(findInexactNumber(`{"a":[1,"x",${token}]}`)).toBe(token);
    expect(findInexactNumber(`[${token},${token}0]`)).toBe(token);
  });

  test.each([
    ["2^53", "9007199254740992"],
    ["0.1 + 0.2", "0.30000000000000004"],
    ["a long fraction, which is rounded as everywhere", "0.12345678901234567890123"],
    ["the largest double", "1.7976931348623157e308"],
    ["what becomes 0", "1e-400"],
    ["-0", "-0"],
    ["digits in a string", '"9007199254740993"'],
    ["digits behind an escaped quote", '"\\"9007199254740993"'],
    ["digits in a key", '{"9007199254740993":1}'],
    ["an escape of digits", '"\\u0031234567890123456789"'],
    ["nothing", ""],
  ])("PAY-09 does not mind %s", (_, text) => {
    expect(findInexactNumber(text)).toBeNull();
  });

  test.each([
    "9007199254740993.0",
    "90071992547409930e-1",
    "0.9007199254740993e16",
    "1152921504606846976",
    "1e400",
  ])("PAY-09 finds %s, which would come back as another number", (text) => {
    expect(findInexactNumber(`[0.1, ${text}]`)).toBe(text);
  });

  test.each(["1e22", "1e23", "1.5e3", "0.1", "0e400", "3.141592653589793238", "9007199254740994", "1e-400"])(
    "PAY-09 lets %s through",
    (text) => {
      expect(findInexactNumber(`[0.1, ${text}]`)).toBeNull();
    },
  );

  test("agrees with comparing BigInts one by one", () => {
    const integer = fc.oneof(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 53n + 10n }),
      fc.bigInt({ min: -(2n ** 1_100n), max: 2n ** 1_100n }),
      fc
        .tuple(fc.bigInt({ min: 1n, max: 2n ** 53n }), fc.nat(1_000))
        .map(([n, power]) => n * 2n ** BigInt(power)),
    );
    const filler = fc.oneof(
      fc.string().map((text) => JSON.stringify(text)),
      fc.double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53 }).map((n) => JSON.stringify(n)),
      fc.constantFrom("true", "null", "[]", '{"9007199254740993":"9007199254740993"}'),
    );
    /** The whole number that JSON text of a double means to a reader without doubles. */
    const printed = (value: number): bigint => {
      const [mantissa = "", power = "0"] = String(value).split("e");
      const [whole = "", fraction = ""] = mantissa.split(".");
      return BigInt(whole + fraction) * 10n ** BigInt(Number(power) - fraction.length);
    };
    const exact = (n: bigint): boolean => Number.isFinite(Number(n)) && printed(Number(n)) === n;
    fc.assert(
      fc.property(fc.array(fc.oneof(integer, filler), { maxLength: 8 }), (parts) => {
        const wanted = parts.find((part) => typeof part === "bigint" && !exact(part));
        const text = `[${parts.map(String).join(", ")}]`;
        expect(findInexactNumber(text)).toBe(wanted === undefined ? null : String(wanted));
      }),
      { seed: 8, numRuns: 2_000 },
    );
  });

  test("takes time in proportion to the text, not to its square", () => {
    expect(findInexactNumber("9".repeat(1_000_000))).toHaveLength(1_000_000);
  });
});

describe("exceededLimit", () => {
  test("counts arrays, objects and fields, and nothing inside texts", () => {
    const text = '{"a:{{":[1,2,{}],"b":"::\\":{"}';
    expect(exceededLimit(text, 9, 5)).toBeNull();
    expect(exceededLimit(text, 9, 4)).toBe("members");
  });

  test("counts what follows in lists and objects, and nothing inside texts", () => {
    const text = '[1,[2,3],{"a,,":",","b":4},[]]';
    expect(exceededLimit(text, 9, 99, 5)).toBeNull();
    expect(exceededLimit(text, 9, 99, 4)).toBe("values");
  });

  test.each([
    String.raw`"\\"`,
    String.raw`"\""`,
    String.raw`""\"{{{"`,
    `"${"\\".repeat(50_000)}"`,
    '"not closed [[[[',
    String.raw`"ends in an escape "`,
  ])("knows where the text %.20s ends", (text) => {
    expect(exceededLimit(`${text}             `, 0, 0)).toBeNull();
    expect(exceededLimit(`[${text}             `, 1, 1)).toBeNull();
    expect(exceededLimit(`[[${text}             `, 1, 2)).toBe("depth");
  });

  test("finds as many fields and levels in any value as it has", () => {
    const members = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return 0;
      const own = Array.isArray(value) ? 1 : 1 + Object.keys(value).length;
      return own + Object.values(value).reduce((sum: number, member) => sum + members(member), 0);
    };
    const depth = (value: unknown): number =>
      typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const [levels, count] = [depth(value), members(value)];
        expect(exceededLimit(text, levels, count)).toBeNull();
        if (count > 0) expect(exceededLimit(text, levels, count - 1)).toBe("members");
        if (levels > 0) expect(exceededLimit(text, levels - 1)).toBe("depth");
      }),
      { seed: 11, numRuns: 2_000 },
    );
  });
});
