import { expect, test } from "vitest";
import { cutResults } from "./cut-results.js";

test.each([
  ["of a completion", '{"leaseToken": "a", "result" : [1, {"result": 2}] }', [[0, '[1, {"result": 2}]']]],
  ["that is a word", '{"result":true,"leaseToken":"a"}', [[0, "true"]]],
  ["that is text with quotes and brackets", String.raw`{"result":"a\"]}","b":1}`, [[0, String.raw`"a\"]}"`]]],
  ["with escapes in its name", String.raw`{"r\u0065sult":1}`, [[0, "1"]]],
  ["said twice", '{"result":1,"result":[2]}', [[0, "[2]"]]],
  [
    "of acknowledgements",
    '{"results":[{"id":"1","result":[1,2]},{"id":"2","error":{"result":5}},{"result":{"a":[3,4]},"id":"3"}]}',
    [
      [0, "[1,2]"],
      [2, '{"a":[3,4]}'],
    ],
  ],
  [
    "of the last of two lists",
    '{"results":[{"result":1},{"result":2}],"results":[{"result":3}]}',
    [[0, "3"]],
  ],
  ["of another field", '{"payload":{"result":1},"x":[{"result":2}],"y":["result"]}', []],
])("takes out the result %s", (_what, text, expected) => {
  const cut = cutResults(text);
  expect([...(cut?.results ?? [])]).toEqual(expected);
  for (const [, result] of expected as [number, string][]) expect(cut?.rest).not.toContain(`:${result}`);
});

test.each(['{"result":', '{"result":[', '{"result":]}', '{"result":,"a":1}'])("finds none in %s", (text) => {
  expect(cutResults(text)).toBeNull();
});
