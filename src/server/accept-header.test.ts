import { describe, expect, test } from "vitest";
import { namedQuality } from "./accept-header.js";
import { prefersJson } from "./streams/accept.js";

test.each([
  ["br", 1],
  ["gzip, br", 1],
  ["gzip;q=0.5,\tBR ; q=0.2", 0.2],
  ["br;q=0", 0],
  ["br;q=0.000", 0],
  ["br;q=much", 0],
  ["brotli, xbr", 0],
  ["*", 0],
  ["", 0],
  [undefined, 0],
])("%j wants br by %d", (header, quality) => {
  expect(namedQuality(header, "br")).toBe(quality);
});

describe("whoever could have a stream gets JSON", () => {
  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json, text/plain, */*",
    "application/json;charset=utf-8",
    "text/event-stream;q=0, application/json",
    "text/event-stream;q=0.5, application/json",
  ])("for %s", (accept) => {
    expect(prefersJson(accept)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "*/*",
    "text/event-stream",
    "text/event-stream, application/json",
    "application/json;q=0",
    "application/json;q=0.5, text/event-stream",
    "application/jsonp",
  ])("not for %s", (accept) => {
    expect(prefersJson(accept)).toBe(false);
  });
});
