import { describe, expect, it } from "vitest";
import { jsonFaultAt } from "./json-fault.js";

describe("the place at which a text stops being JSON", () => {
  it.each([
    ["{", 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a" 1}', 1, 6],
    ['{\n  "to": ada\n}', 2, 9],
    ["[1, 2", 1, 6],
    ["[1}", 1, 3],
    ["[,]", 1, 2],
    ["{} {}", 1, 4],
    ['"not closed', 1, 1],
    [String.raw`["\x"]`, 1, 2],
    ["[01]", 1, 3],
  ])("%j", (text, line, column) => {
    expect(jsonFaultAt(text)).toEqual({ line, column });
  });

  it.each(['{"a": [1, -2.5e3, true, null, "x\\u0041"], "b": {}}', "[]", "1.0", ' "text" '])(
    "is nowhere in %j",
    (text) => {
      expect(jsonFaultAt(text)).toBeNull();
    },
  );
});
