import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { Signer } from "./signer.js";

const signer = new Signer(randomBytes(32));
const place = { sort: 1_767_571_200_000, id: "9007199254740991" };

describe("a cursor", () => {
  test("comes back as the place it was made of", () => {
    const filter = { state: "dead", queue: "a", tag: "x" } as const;
    expect(decodeCursor(signer, filter, encodeCursor(signer, filter, place))).toEqual(place);
  });

  test.each([
    ["another state", { state: "dead" }],
    ["another queue", { queue: "b" }],
    ["no filter", {}],
    ["the same value in another field", { name: "a" }],
  ] as const)("is refused for a list with %s", (_what, filter) => {
    const cursor = encodeCursor(signer, { queue: "a" }, place);
    expect(() => decodeCursor(signer, filter, cursor)).toThrow(
      expect.objectContaining({ code: "bad_cursor" }),
    );
  });

  test("is refused when any character of it was changed", () => {
    const cursor = encodeCursor(signer, {}, place);
    const bytes = Buffer.from(cursor, "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      expect(() => decodeCursor(signer, {}, changed.toString("base64url"))).toThrow("nextCursor");
    }
  });

  test("is refused when another database signed it", () => {
    const cursor = encodeCursor(new Signer(randomBytes(32)), {}, place);
    expect(() => decodeCursor(signer, {}, cursor)).toThrow("nextCursor");
  });

  test.each(["", " ", "x", "AAAA", "%00", "🙂", "e30", ".", "a".repeat(10_000)])(
    "is refused when it is made up: %j",
    (cursor) => {
      expect(() => decodeCursor(signer, {}, cursor)).toThrow(expect.objectContaining({ code: "bad_cursor" }));
    },
  );
});
