import { describe, expect, it } from "vitest";
import { completed, completionAt, suggestionsFor } from "./completion.js";

function offered(text: string, values: readonly string[] = []): string[] {
  return suggestionsFor(completionAt(text, text.length), values).map((each) => each.text);
}

function chosen(text: string, wanted: string, values: readonly string[] = []): string {
  const completion = completionAt(text, text.length);
  const suggestion = suggestionsFor(completion, values).find((each) => each.text === wanted);
  return suggestion === undefined ? "" : completed(text, completion, suggestion);
}

describe("qualifiers", () => {
  it("are offered first, with what mostly stands behind them", () => {
    expect(offered("")).toContain("queue:");
    expect(offered("queue:a er")).toEqual(["error~"]);
    expect(offered("-ta")).toEqual(["tag:"]);
    expect(offered("att")).toEqual(["attempt>="]);
    expect(offered("pay")).toEqual(["payload."]);
  });

  it("replace only what was typed of them", () => {
    expect(chosen("queue:a -ta", "tag:")).toBe("queue:a -tag:");
  });

  it("are not offered in the middle of a quoted word", () => {
    expect(offered('"sta')).toEqual([]);
  });
});

describe("values", () => {
  it("of states are known", () => {
    expect(offered("state:c")).toEqual(["completed", "cancelled"]);
    expect(chosen("state:dead,ca", "cancelled")).toBe("state:dead,cancelled");
  });

  it("of other fields come from the server, and are quoted where they must be", () => {
    expect(offered("queue:e", ["emails", "exports"])).toEqual(["emails", "exports"]);
    expect(chosen("worker:ho", '"host 1:42"', ["host 1:42"])).toBe('worker:"host 1:42"');
    expect(chosen('worker:"host ', '"host 1:42"', ["host 1:42"])).toBe('worker:"host 1:42"');
  });

  it("of times are relative", () => {
    expect(offered("created>1")).toEqual(["15m", "1h"]);
  });

  it("are none where nobody knows them", () => {
    expect(offered("constructor:a", [])).toEqual([]);
    expect(offered("payload.to=")).toEqual([]);
  });
});
