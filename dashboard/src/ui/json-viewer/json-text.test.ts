import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pretty } from "./pretty.js";
import { tokensOf, type Token } from "./tokens.js";

const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join("");
const withoutSpace = (tokens: readonly Token[]): string =>
  textOf(tokens.filter(({ kind }) => kind !== "space"));

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "1", "e", " ", "\n", "a", "😀"),
  }),
);
const json = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe("tokens of a JSON text", () => {
  it("are the text when they are put together again, whatever the text is", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, json), (text) => {
        expect(textOf(tokensOf(text))).toBe(text);
      }),
    );
  });

  it("are the text also where it was cut anywhere", () => {
    fc.assert(
      fc.property(json, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.length + 1));
        expect(textOf(tokensOf(cut))).toBe(cut);
      }),
    );
  });

  it("leave every number as it is written", () => {
    const numbers = ["9007199254740993", "1.0", "1e400", "-0", "0.10", "1E+2"];
    const tokens = tokensOf(`[${numbers.join(", ")}]`);
    expect(tokens.filter(({ kind }) => kind === "number").map(({ text }) => text)).toEqual(numbers);
  });

  it("tell keys from strings, also with a space before the colon", () => {
    const tokens = tokensOf('{"a": "b", "c" : ["d\\": e", true, null]}');
    expect(tokens.filter(({ kind }) => kind === "key").map(({ text }) => text)).toEqual(['"a"', '"c"']);
    expect(tokens.filter(({ kind }) => kind === "string").map(({ text }) => text)).toEqual([
      '"b"',
      '"d\\": e"',
    ]);
    expect(tokens.filter(({ kind }) => kind === "word").map(({ text }) => text)).toEqual(["true", "null"]);
  });

  it("take a string of a megabyte", () => {
    const text = JSON.stringify('x\\"'.repeat(300_000));
    expect(tokensOf(text)).toEqual([{ kind: "string", text }]);
  });
});

describe("the pretty form", () => {
  it("is the same JSON with other spaces", () => {
    fc.assert(
      fc.property(json, (text) => {
        const tokens = tokensOf(text);
        const written = pretty(tokens);
        expect(withoutSpace(written)).toBe(withoutSpace(tokens));
        expect(JSON.parse(textOf(written))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is what JSON.stringify writes, where that can write it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(textOf(pretty(tokensOf(text)))).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("does not grow without bounds with the depth", () => {
    const deep = `${"[".repeat(100)}${Array.from({ length: 1_000 }, () => "0").join(",")}${"]".repeat(100)}`;
    expect(textOf(pretty(tokensOf(deep))).length).toBeLessThan(70_000);
  });

  it("takes any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(withoutSpace(pretty(tokensOf(text)))).toBe(withoutSpace(tokensOf(text)));
      }),
    );
  });
});
