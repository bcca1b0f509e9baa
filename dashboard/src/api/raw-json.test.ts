import { describe, expect, it } from "vitest";
import { indented, isJson, memberText } from "./raw-json.js";

describe("a member as it is written", () => {
  it.each([
    ['{"payload":{"id":9007199254740993,"x":1.0}}', '{"id":9007199254740993,"x":1.0}'],
    ['{"a":{"payload":1},"payload":1e400,"b":2}', "1e400"],
    ['{"a":"payload","payload":"x"}', '"x"'],
    ['{"payload" : [1, 2 ] , "b":2}', "[1, 2 ]"],
    ['{"a":"\\"payload\\":7","payload":null}', "null"],
    ['{"a":["payload",3],"payload":{}}', "{}"],
    ['{"payload":"a,b}"}', '"a,b}"'],
  ])("%s", (json, text) => {
    expect(memberText(json, "payload")).toBe(text);
  });

  it("is none where the object has none", () => {
    expect(memberText('{"a":{"payload":1},"b":"payload"}', "payload")).toBeNull();
    expect(memberText("{}", "payload")).toBeNull();
  });
});

describe("JSON on lines of its own", () => {
  it("keeps every number and string", () => {
    expect(indented('{"id":9007199254740993,"x":1.0,"s":"a: {\\"b\\"},","l":[1,[],{}]}')).toBe(
      [
        "{",
        '  "id": 9007199254740993,',
        '  "x": 1.0,',
        '  "s": "a: {\\"b\\"},",',
        '  "l": [',
        "    1,",
        "    [],",
        "    {}",
        "  ]",
        "}",
      ].join("\n"),
    );
  });

  it.each(["null", '"a b"', "1e400", "[]"])("leaves %s as it is", (json) => {
    expect(indented(json)).toBe(json);
  });
});

it("tells JSON from other text", () => {
  expect(isJson('{"a":1}')).toBe(true);
  expect(isJson('1},"queue":"other"')).toBe(false);
  expect(isJson("")).toBe(false);
});
