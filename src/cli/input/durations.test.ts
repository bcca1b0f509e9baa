import { describe, expect, it } from "vitest";
import { laterOption, parseDuration } from "./durations.js";

describe("a duration", () => {
  it("is a number with a unit, or several", () => {
    expect(["500ms", "30s", "5m", "2h", "7d", "1h30m", "0s"].map(parseDuration)).toEqual([
      500, 30_000, 300_000, 7_200_000, 604_800_000, 5_400_000, 0,
    ]);
  });

  it.each(["", "5", "s", "-5s", "1.5h", "5 m", "5m ", "1w", "1e3s"])("is not %j", (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it("may say when a token ends", () => {
    expect(Date.parse(laterOption("1d"))).toBeGreaterThan(Date.now());
    expect(laterOption("2026-12-31T00:00:00Z")).toBe("2026-12-31T00:00:00Z");
    expect(() => laterOption("tomorrow")).toThrow("90d");
  });
});
