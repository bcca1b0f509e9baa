import { describe, expect, it } from "vitest";
import { parseJobQuery } from "../../../src/core/job-query/parse.js";
import { idFilters, statesOf, termsOf, withoutStates, withoutTerm } from "./filter-text.js";

function texts(filter: string): string[] {
  return termsOf(filter).map(({ text }) => text);
}

describe("termsOf", () => {
  it("parts at spaces outside of quotes", () => {
    expect(texts('  state:dead worker:"host 1:4242"  -tag:vip ')).toEqual([
      "state:dead",
      'worker:"host 1:4242"',
      "-tag:vip",
    ]);
  });

  it("keeps quotes and backslashes inside of quotes", () => {
    expect(texts(String.raw`error~"a \" b \\" x`)).toEqual([String.raw`error~"a \" b \\"`, "x"]);
  });

  it("takes a quote that is not closed to the end", () => {
    expect(texts('a error~"b c')).toEqual(["a", 'error~"b c']);
    expect(texts('error~"b c\\')).toEqual(['error~"b c\\']);
  });

  it("says where each stands", () => {
    const filter = "  a  bc";
    expect(termsOf(filter).map(({ start, end }) => filter.slice(start, end))).toEqual(["a", "bc"]);
    expect(termsOf(filter)[1]?.start).toBe(5);
  });

  it("reads long text in no time", () => {
    expect(texts('"\\'.repeat(50_000)).length).toBeGreaterThan(0);
  });
});

describe("states of a filter", () => {
  it("are those that it asks for, in all of its terms", () => {
    expect(statesOf('state:dead,running queue:a -state:pending state:"cancelled"')).toEqual([
      "dead",
      "running",
      "cancelled",
    ]);
  });

  it("can be taken out of it", () => {
    expect(withoutStates('state:dead queue:a  error~"state:dead x" -state:pending')).toBe(
      'queue:a error~"state:dead x" -state:pending',
    );
  });
});

it("takes out one term and leaves the others as they are written", () => {
  expect(withoutTerm('a "b c" d', 1)).toBe("a d");
  expect(withoutTerm("a", 0)).toBe("");
});

it("asks for jobs by their ids in filters that the server takes, however many and long they are", () => {
  const ids = Array.from({ length: 200 }, (_, index) => String(9_007_199_254_740_000 + index));
  const filters = idFilters(ids);
  expect(filters.flatMap((filter) => filter.replace("id:", "").split(","))).toEqual(ids);
  for (const filter of filters) expect(() => parseJobQuery(filter)).not.toThrow();
  expect(idFilters([])).toEqual([]);
});
