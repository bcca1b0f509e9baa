import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseJobQuery } from "../core/job-query/parse.js";
import { bothQueries, EVERY_JOB } from "../core/job-query/query.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { Signer } from "./signer.js";

const signer = new Signer(randomBytes(32));
const place = { now: 1_767_571_300_000, after: { sort: 1_767_571_200_000, id: "9007199254740991" } };
const q = parseJobQuery;

describe("a cursor", () => {
  test("comes back as the place it was made of", () => {
    const filter = q("state:dead queue:a tag:x created>2h");
    expect(decodeCursor(signer, filter, encodeCursor(signer, filter, place))).toEqual(place);
  });

  test.each([
    ["another state", q("queue:a state:dead")],
    ["another queue", q("queue:b")],
    ["one more queue", q("queue:a,b")],
    ["the queue negated", q("-queue:a")],
    ["no filter", EVERY_JOB],
    ["the same value in another field", q("name:a")],
    ["two queues that must both be", bothQueries(q("queue:a"), q("queue:b"))],
  ])("is refused for a list with %s", (_what, filter) => {
    const cursor = encodeCursor(signer, q("queue:a"), place);
    expect(() => decodeCursor(signer, filter, cursor)).toThrow(
      expect.objectContaining({ code: "bad_cursor" }),
    );
  });

  test("works for the same filter written in another way", () => {
    const cursor = encodeCursor(signer, q('queue:a tag:"x"  queue:b'), place);
    expect(decodeCursor(signer, q("queue:a,b tag:x"), cursor)).toEqual(place);
  });

  test("is refused when any character of it was changed", () => {
    const cursor = encodeCursor(signer, EVERY_JOB, place);
    const bytes = Buffer.from(cursor, "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      expect(() => decodeCursor(signer, EVERY_JOB, changed.toString("base64url"))).toThrow("nextCursor");
    }
  });

  test("is refused when another database signed it", () => {
    const cursor = encodeCursor(new Signer(randomBytes(32)), EVERY_JOB, place);
    expect(() => decodeCursor(signer, EVERY_JOB, cursor)).toThrow("nextCursor");
  });

  test.each(["", " ", "x", "AAAA", "%00", "🙂", "e30", ".", "a".repeat(10_000)])(
    "is refused when it is made up: %j",
    (cursor) => {
      expect(() => decodeCursor(signer, EVERY_JOB, cursor)).toThrow(
        expect.objectContaining({ code: "bad_cursor" }),
      );
    },
  );
});
