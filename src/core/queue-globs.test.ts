import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coversQueue } from "./queue-globs.js";

describe("a queue glob", () => {
  test.each([
    ["email", "email", true],
    ["email", "emails", false],
    ["email", "mail", false],
    ["email*", "email", true],
    ["email*", "email.urgent", true],
    ["email*", "e-mail", false],
    ["*", "anything", true],
    ["*.urgent", "email.urgent", true],
    ["*.urgent", "email.urgent2", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*a", "aba", true],
    ["a*b*a", "ab", false],
    ["a*bc*c", "abc", false],
    ["**", "x", true],
  ])("%s and %s: %s", (glob, queue, covered) => {
    expect(coversQueue([glob], queue)).toBe(covered);
  });

  test("is read like the expression that it stands for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), minLength: 1, maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(text, name, (glob, queue) => {
        const expression = new RegExp(`^${glob.replaceAll(".", "[.]").replaceAll("*", ".*")}$`);
        expect(coversQueue([glob], queue)).toBe(expression.test(queue));
      }),
      { numRuns: 2_000 },
    );
  });

  test("is one of several, and none covers everything", () => {
    expect(coversQueue(["a", "b*"], "b1")).toBe(true);
    expect(coversQueue(["a", "b*"], "c")).toBe(false);
    expect(coversQueue([], "a")).toBe(false);
    expect(coversQueue(null, "a")).toBe(true);
  });
});
