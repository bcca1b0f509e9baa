import { describe, expect, test } from "vitest";
import { assertName, isKey, isName, isTag } from "./names.js";

describe("names of queues and jobs", () => {
  test.each([
    "default",
    "email.send",
    "a",
    "0",
    "A-b_c:d.e",
    "jobs",
    "sqlite_master",
    "retries",
    "CON",
    "constructor",
    "a".repeat(128),
  ])("PAY-15 takes %s", (name) => {
    expect(isName(name)).toBe(true);
  });

  test.each([
    ["nothing", ""],
    ["a path", "../x"],
    ["a slash", "a/b"],
    ["a percent escape", "a%00b"],
    ["a wildcard", "*"],
    ["a wildcard at its end", "a*"],
    ["SQL", '"; drop'],
    ["a leading space", " a"],
    ["a trailing space", "a "],
    ["a line feed at its end", "a\n"],
    ["a leading dot", ".a"],
    ["a leading underscore", "__proto__"],
    ["NUL", "a\0b"],
    ["a letter beyond ASCII", "é"],
    ["an emoji", "😀"],
    ["a lone surrogate", "a\ud800"],
    ["129 characters", "a".repeat(129)],
    ["256 characters", "a".repeat(256)],
    ["a number", 1],
    ["null", null],
    ["undefined", undefined],
    ["a list", ["a"]],
  ])("PAY-15 refuses %s", (_, name) => {
    expect(isName(name)).toBe(false);
  });

  test("assertName names the field and the rule", () => {
    expect(() => {
      assertName("queue", "a b");
    }).toThrow(/^queue must be 1 to 128 letters, digits/);
  });
});

describe.each([
  ["keys", isKey, 255],
  ["tags", isTag, 64],
] as const)("%s", (_, isText, length) => {
  test("take any printable text", () => {
    for (const text of [
      "a",
      " ",
      "a b",
      "тег",
      "👨‍👩‍👧",
      "%_'\"\\",
      "__proto__",
      "x".repeat(length),
      "😀".repeat(length),
    ]) {
      expect(isText(text), text).toBe(true);
    }
  });

  test("PAY-01 PAY-03 refuse control characters, lone surrogates and other types", () => {
    for (const text of [
      "",
      "a\0b",
      "a\nb",
      "\u007f",
      "\u0085",
      "\ud800",
      "a\udc59b",
      "x".repeat(length + 1),
      "😀".repeat(length + 1),
    ]) {
      expect(isText(text), JSON.stringify(text)).toBe(false);
    }
    for (const value of [1, null, undefined, {}, ["a"]]) expect(isText(value)).toBe(false);
  });
});
