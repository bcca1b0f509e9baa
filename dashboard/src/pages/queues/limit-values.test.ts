import { describe, expect, it } from "vitest";
import { NO_LIMITS, type QueueLimits } from "../../../../src/core/queue-limits.js";
import { changeOf, limitFieldAt, valuesOf, type LimitValues } from "./limit-values.js";

const ALL: QueueLimits = {
  concurrency: 20,
  rateLimit: { max: 100, perMs: 1_000 },
  perKey: { concurrency: 2, rateLimit: { max: 5, perMs: 90_000 } },
  ageingMs: 3_600_000,
  maxLength: 0,
  onFull: "drop-oldest",
};

function edit(base: QueueLimits, edited: Partial<LimitValues>) {
  return changeOf({ ...valuesOf(base), ...edited }, base);
}

describe("the form of a queue's limits", () => {
  it("shows each limit, times in their largest unit", () => {
    expect(valuesOf(ALL)).toEqual({
      concurrency: "20",
      starts: "100",
      per: { amount: "1", unit: "s" },
      keyConcurrency: "2",
      keyStarts: "5",
      keyPer: { amount: "90", unit: "s" },
      ageing: { amount: "1", unit: "h" },
      maxLength: "0",
      onFull: "drop-oldest",
    });
  });

  it("shows a limit that is not there as nothing", () => {
    const { concurrency, starts, keyConcurrency, keyStarts, ageing, maxLength } = valuesOf(NO_LIMITS);
    expect([concurrency, starts, keyConcurrency, keyStarts, ageing.amount, maxLength]).toEqual(
      Array.from({ length: 6 }, () => ""),
    );
  });

  it.each([1, 7, 999, 1_001, 1_500, 60_000, 90_000, 86_400_000, 2_678_399_999, 31_622_400_000])(
    "keeps %d ms as they are",
    (ms) => {
      const queue = { ...ALL, rateLimit: { max: 1, perMs: ms }, ageingMs: ms };
      expect(edit(queue, {})).toBeNull();
      expect(edit({ ...queue, ageingMs: null }, { ageing: valuesOf(queue).ageing })).toEqual({
        ageingMs: ms,
      });
    },
  );

  it.each<[Partial<LimitValues>, object]>([
    [{ concurrency: " 30 " }, { concurrency: 30 }],
    [{ starts: "200" }, { rateLimit: { max: 200, perMs: 1_000 } }],
    [{ per: { amount: "1.5", unit: "min" } }, { rateLimit: { max: 100, perMs: 90_000 } }],
    [{ per: { amount: "1,5", unit: "min" } }, { rateLimit: { max: 100, perMs: 90_000 } }],
    [{ per: { amount: "1,500", unit: "s" } }, { rateLimit: { max: 100, perMs: "1,500" } }],
    [{ keyConcurrency: "3" }, { perKey: { concurrency: 3 } }],
    [{ keyPer: { amount: "2", unit: "d" } }, { perKey: { rateLimit: { max: 5, perMs: 172_800_000 } } }],
    [{ ageing: { amount: "5", unit: "min" } }, { ageingMs: 300_000 }],
    [
      { maxLength: "10", onFull: "refuse" },
      { maxLength: 10, onFull: "refuse" },
    ],
  ])("sends nothing but what was changed: %j", (edited, body) => {
    expect(edit(ALL, edited)).toEqual(body);
  });

  it.each<[Partial<LimitValues>, object]>([
    [{ concurrency: "" }, { concurrency: null }],
    [{ starts: " " }, { rateLimit: null }],
    [{ keyConcurrency: "", keyStarts: "" }, { perKey: { concurrency: null, rateLimit: null } }],
    [{ ageing: { amount: "", unit: "h" } }, { ageingMs: null }],
    [{ maxLength: "" }, { maxLength: null }],
  ])("takes away a limit whose field is emptied: %j", (edited, body) => {
    expect(edit(ALL, edited)).toEqual(body);
  });

  it("finds no change where another unit says the same, or where there is no rate that a time belongs to", () => {
    expect(edit(ALL, { ageing: { amount: "60", unit: "min" } })).toBeNull();
    expect(
      edit(NO_LIMITS, { per: { amount: "5", unit: "d" }, ageing: { amount: "", unit: "d" } }),
    ).toBeNull();
  });

  it("lets the server judge what is no number, and never takes it for no limit", () => {
    const wrong = { concurrency: "many", starts: "1e999", per: { amount: "", unit: "s" } } as const;
    expect(edit(ALL, { ...wrong, ageing: { amount: "Infinity", unit: "d" }, maxLength: "1.5" })).toEqual({
      concurrency: "many",
      rateLimit: { max: "1e999", perMs: "" },
      ageingMs: "Infinity",
      maxLength: 1.5,
    });
    expect(edit(ALL, { ageing: { amount: "1e308", unit: "d" } })).toEqual({ ageingMs: 1e308 });
  });

  it("knows the field of each fault", () => {
    expect(limitFieldAt("/perKey/rateLimit/perMs")).toBe("keyPer");
    expect(limitFieldAt("/rateLimit/max")).toBe("starts");
    expect(limitFieldAt("/paused")).toBeNull();
  });
});
