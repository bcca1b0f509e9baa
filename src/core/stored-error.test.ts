import { describe, expect, test } from "vitest";
import { MAX_ERROR_MESSAGE_LENGTH, MAX_ERROR_STACK_LENGTH } from "./defaults.js";
import { describeError } from "./stored-error.js";

/** An error with one property that cannot be what its type says. */
function errorWith(property: string, descriptor: PropertyDescriptor): Error {
  return Object.defineProperty(new Error("original"), property, descriptor);
}

const throwing = {
  get(): never {
    throw new Error("getter");
  },
};

function cyclicCause(): Error {
  const error = new Error("outer");
  error.cause = error;
  return error;
}

const hostileProxy = new Proxy(
  {},
  {
    get() {
      throw new Error("trap");
    },
    getPrototypeOf() {
      throw new Error("trap");
    },
    ownKeys() {
      throw new Error("trap");
    },
  },
);

const THROWN: readonly (readonly [what: string, thrown: unknown, message: RegExp])[] = [
  ["undefined", undefined, /^undefined was thrown$/],
  ["null", null, /^null was thrown$/],
  ["0", 0, /^0 was thrown$/],
  ["NaN", Number.NaN, /^NaN was thrown$/],
  ["a BigInt", 1n, /^1 was thrown$/],
  ["an empty string", "", /^An empty string was thrown$/],
  ["a string", "x", /^x$/],
  ["an empty object", {}, /^An object was thrown: \{\}$/],
  ["an object without a prototype", Object.create(null), /^An object was thrown: \{\}$/],
  ["an object with a message", { message: "told" }, /^told$/],
  ["an object whose message is a BigInt", { message: 1n }, /^An object was thrown: \[object Object\]$/],
  ["a symbol", Symbol("s"), /^Symbol\(s\) was thrown$/],
  ["a function", () => 1, /was thrown$/],
  ["a proxy that throws at everything", hostileProxy, /./],
  ["an error", new TypeError("wrong type"), /^wrong type$/],
  ["an error without a message", new Error(), /^Error without a message$/],
  [
    "an error whose message is undefined",
    errorWith("message", { value: undefined }),
    /^Error without a message$/,
  ],
  [
    "an error whose message is an object",
    errorWith("message", { value: { a: 1 } }),
    /^Error without a message$/,
  ],
  ["an error whose message is a BigInt", errorWith("message", { value: 1n }), /^Error without a message$/],
  ["an error whose message throws", errorWith("message", throwing), /^Error without a message$/],
  ["an error whose stack throws", errorWith("stack", throwing), /^original$/],
  ["an error whose stack is a number", errorWith("stack", { value: 5 }), /^original$/],
  ["an error whose name is a number", errorWith("name", { value: 5 }), /^original$/],
  ["an error whose name is a symbol", errorWith("name", { value: Symbol("n") }), /^original$/],
  ["an error whose name is an object", errorWith("name", { value: {} }), /^original$/],
  ["an error whose name throws", errorWith("name", throwing), /^original$/],
  ["an error whose cause throws", errorWith("cause", throwing), /^original$/],
  ["an error that is its own cause", cyclicCause(), /^outer$/],
  ["an AggregateError", new AggregateError([new Error("a"), new Error("b")], "both"), /^both$/],
  ["an AggregateError without a message", new AggregateError([new Error("a")]), /./],
  ["a DOMException", new DOMException("aborted", "AbortError"), /^aborted$/],
  [
    "an error with a response that is a cycle",
    Object.assign(cyclicCause(), { response: hostileProxy }),
    /^outer/,
  ],
  [
    "an error with a cause",
    new Error("fetch failed", { cause: new Error("ECONNREFUSED") }),
    /^fetch failed: ECONN/,
  ],
];

describe("describeError", () => {
  test.each(THROWN)("WRK-01 describes %s", (_, thrown, message) => {
    const described = describeError(thrown);
    expect(described.message).toMatch(message);
    expect(described.type).toMatch(/./);
    expect(typeof described.type).toBe("string");
    expect(described.stack === null || typeof described.stack === "string").toBe(true);
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  });

  test("keeps the class name of errors and the type of other values", () => {
    expect(describeError(new TypeError("x")).type).toBe("TypeError");
    expect(describeError(new DOMException("x", "AbortError")).type).toBe("AbortError");
    expect(describeError("x").type).toBe("string");
    expect(describeError(null).type).toBe("null");
  });

  test("tells a cause once, also where the error repeats it", () => {
    const cause = new Error("no route");
    expect(describeError(new Error("it failed: no route", { cause })).message).toBe("it failed: no route");
    expect(describeError(new Error("it failed", { cause })).message).toBe("it failed: no route");
  });

  test("PAY-01 PAY-03 replaces NUL and lone surrogates", () => {
    expect(describeError(new Error("a\0b\ud800c")).message).toBe("a\ufffdb\ufffdc");
  });

  test("bounds message, stack and type", () => {
    const error = new Error("m".repeat(1e6));
    error.name = "n".repeat(1e6);
    error.stack = "s".repeat(1e6);
    const described = describeError(error);
    expect(described.message).toHaveLength(MAX_ERROR_MESSAGE_LENGTH);
    expect(described.stack).toHaveLength(MAX_ERROR_STACK_LENGTH);
    expect(described.type).toHaveLength(200);
  });
});
