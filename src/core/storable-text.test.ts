import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storableText } from "./storable-text.js";

describe("storableText", () => {
  test("leaves good text alone", () => {
    expect(storableText("plain ё 👨‍👩‍👧 \n\t", 100)).toBe("plain ё 👨‍👩‍👧 \n\t");
  });

  test("PAY-01 PAY-03 replaces NUL and lone surrogates", () => {
    expect(storableText("a\0b\ud800c\udc59", 100)).toBe("a\ufffdb\ufffdc\ufffd");
  });

  test("cuts long text and never parts a pair", () => {
    expect(storableText("abcdef", 4)).toBe("abc…");
    expect(storableText("ab😀def", 4)).toBe("ab\ufffd…");
  });

  test("any text comes out well-formed, without NUL and not too long", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, length) => {
        const stored = storableText(text, length);
        expect(stored.isWellFormed()).toBe(true);
        expect(stored).not.toContain("\0");
        expect(stored.length).toBeLessThanOrEqual(length);
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });
});
