import { describe, expect, it } from "vitest";
import { parseJobQuery } from "../../../../src/core/job-query/parse.js";
import { bareWordOf, payloadSearch, wordSearches } from "./word-searches.js";

describe("a word that no name contains", () => {
  it.each([
    ["ada", "ada"],
    ["ada@example.com", "ada@example.com"],
    ['"ada lovelace"', "ada lovelace"],
    ["4711", "4711"],
  ])("is %s", (filter, word) => {
    expect(bareWordOf(filter)).toBe(word);
  });

  it.each(["", "two words", "queue:emails", "-ada", "error~timeout", "payload.to=ada"])(
    "is not %j",
    (filter) => {
      expect(bareWordOf(filter)).toBeNull();
    },
  );

  it.each(["ada", "ada@example.com", "ada lovelace", 'a"b\\c', "*", "-x", "a,b"])(
    "is looked for elsewhere by filters that the server understands: %s",
    (word) => {
      for (const filter of [...wordSearches(word), payloadSearch(word)]) {
        expect(() => parseJobQuery(filter), filter).not.toThrow();
      }
    },
  );
});
