import { describe, expect, test } from "vitest";
import { DeleteQuery, JobListQuery, LogQuery } from "../../api/job-list.js";
import { compileValidator } from "./compile.js";

/** The value, or the codes of the faults. */
function read(schema: object, query: Record<string, unknown>): unknown {
  const check = compileValidator({ schema, method: "GET", url: "/", httpPart: "querystring" });
  const answer = check(query) as { value: unknown } | { error: { faults: { code: string }[] } };
  return "value" in answer ? answer.value : answer.error.faults.map(({ code }) => code);
}

describe("a number in a query", () => {
  test.each(["1", "50", "500"])("may be %j", (limit) => {
    expect(read(JobListQuery, { limit })).toEqual({ limit: Number(limit) });
  });

  test.each([
    ...["-1", "0", "501", "1.5", "1.0", "", " ", " 5", "5 ", "+5", "05", "10abc", "0x10", "1e2", "1_0"],
    ...["null", "true", "[5]", "{}", "NaN", "Infinity", "1e309", "9007199254740993", "٥", "5\n", "5,6"],
  ])("may not be %j", (limit) => {
    expect(read(JobListQuery, { limit })).toEqual(["out_of_range"]);
  });

  test("may not be given twice", () => {
    expect(read(JobListQuery, { limit: ["5", "6"] })).toEqual(["duplicate"]);
  });

  test("may be the largest safe whole number and no more", () => {
    expect(read(LogQuery, { after: "9007199254740991" })).toEqual({ after: Number.MAX_SAFE_INTEGER });
    expect(read(LogQuery, { after: "9007199254740992" })).toEqual(["out_of_range"]);
  });
});

describe("a yes or no in a query", () => {
  test("is true or false", () => {
    expect(read(DeleteQuery, { force: "true" })).toEqual({ force: true });
    expect(read(DeleteQuery, { force: "false" })).toEqual({ force: false });
  });

  test.each(["", "1", "yes", "TRUE", "tru"])("may not be %j", (force) => {
    expect(read(DeleteQuery, { force })).toEqual(["wrong_type"]);
  });
});

describe("a filter", () => {
  test.each(["state", "queue", "name", "tag"])("may not be empty: %s", (field) => {
    expect(read(JobListQuery, { [field]: "" })).toHaveLength(1);
  });

  test.each(["offset", "stat", "__proto__", "constructor", "toString"])(
    "must be one that is known: %s",
    (name) => {
      const query = Object.create(null) as Record<string, unknown>;
      Object.defineProperty(query, name, { value: "x", enumerable: true });
      expect(read(JobListQuery, query)).toEqual(["unknown_field"]);
    },
  );
});
