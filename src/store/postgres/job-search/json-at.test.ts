import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresSchema } from "../../../../test/support/postgres-schema.js";

interface Found {
  readonly type: string | null;
  readonly value: string | null;
  readonly number: number | null;
}

async function jsonAt(): Promise<(document: string, path: readonly string[]) => Promise<Found>> {
  const schema = await PostgresSchema.make();
  onTestFinished(() => schema.drop());
  return async (document, path) =>
    (await schema.query<Found>("SELECT * FROM json_at($1, $2::text[])", [document, path]))[0]!;
}

const NOTHING: Found = { type: null, value: null, number: null };

describe("what is at a place of a JSON text", () => {
  test("is found by keys of objects and indexes of lists, and only by these", async () => {
    const at = await jsonAt();
    const document = '{"a":{"b":[1,{"c":"x"}],"0":2},"":3,"a.b":4,"a":{"b":[1,{"c":"y"}],"0":2}}';
    expect(await at(document, [".a", ".b", "[1", ".c"])).toEqual({
      type: "string",
      value: "y",
      number: null,
    });
    expect(await at(document, [".a", ".0"])).toEqual({ type: "number", value: "2", number: 2 });
    expect(await at(document, ["."])).toMatchObject({ number: 3 });
    expect(await at(document, [".a.b"])).toMatchObject({ number: 4 });
    expect(await at(document, [".a", ".b"])).toMatchObject({ type: "array" });
    expect(await at("true", [])).toEqual({ type: "boolean", value: "true", number: null });
    expect(await at("null", [])).toEqual({ type: "null", value: null, number: null });
    for (const path of [
      [".x"],
      ["[0"],
      [".a", "[0"],
      [".a", ".b", ".1"],
      [".a", ".b", "[2"],
      [".a", ".b", "[0", ".c"],
    ]) {
      expect(await at(document, path), path.join("")).toEqual(NOTHING);
    }
  });

  test("is a number as JavaScript reads it, however large or small", async () => {
    const at = await jsonAt();
    for (const text of [
      "0",
      "-0",
      "1.5",
      "-3e2",
      "1e400",
      "-1e400",
      "1e-400",
      "9007199254740993",
      "1e999999999",
      `1${"0".repeat(400)}`,
      `0.${"0".repeat(400)}1`,
      "-1E-999999",
    ]) {
      // Not -0, which is the same number.
      expect(((await at(text, [])).number ?? Number.NaN) + 0, text.slice(0, 20)).toBe(Number(text) + 0);
    }
  });

  const DEEP = 200_000;

  test.each([
    ["no JSON", "nope", []],
    ["nothing", "", []],
    ["an open object", "{", [".a"]],
    ["an open value", '{"a":', [".a"]],
    ["many open lists", "[".repeat(DEEP), ["[0"]],
    ["deep lists", "[".repeat(DEEP) + "]".repeat(DEEP), ["[0"]],
    ["no number", "NaN", []],
    ["half an escape", String.raw`"\u00"`, []],
    ["no escape", String.raw`"\x"`, []],
    ["a list, by too large an index", "[1]", ["[99999999999"]],
    ["a list, by no index", "[1]", ["[x"]],
  ])("is nothing in a text that cannot be read: %s", async (_, document, path) => {
    const at = await jsonAt();
    expect(await at(document, path)).toEqual(NOTHING);
  });

  test("has characters that are none for NUL and for lone surrogates", async () => {
    const at = await jsonAt();
    const parts = [
      "a",
      "\\",
      '"',
      "\0",
      "u0000",
      "\\u0000",
      "\ud83d",
      "\ude00",
      "😀",
      "ud83d",
      "\n",
      "\u001f",
      "0",
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (value, escaped) => {
        const json = JSON.stringify({ [value]: 1, b: [value] });
        // As programs write it that stay within ASCII.
        const document = escaped
          ? json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          : json;
        const stored = value
          .replaceAll("\0", "\uFDD0")
          .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\uFDD2");
        expect(await at(document, [".b", "[0"]), document).toMatchObject({ type: "string", value: stored });
        expect(await at(document, [`.${stored}`]), document).toMatchObject({ number: 1 });
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
