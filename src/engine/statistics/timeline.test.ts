import { describe, expect, test } from "vitest";
import { T0 } from "../../../test/support/fake-clock.js";
import { spanOf } from "./timeline.js";

const HOUR_MS = 3_600_000;

function span(lengthMs: number, step: "1m" | "1h" | null = null) {
  return spanOf({ from: T0 + 1, to: T0 + lengthMs, step });
}

describe("the span of a timeline", () => {
  test.each([
    [1, 60, "1m"],
    [8, 480, "1m"],
    [9, 108, "5m"],
    [24, 288, "5m"],
    [7 * 24, 168, "1h"],
    [20 * 24, 480, "1h"],
    [30 * 24, 120, "6h"],
    [365 * 24, 365, "1d"],
    [1_000 * 24, 1_000, "1d"],
  ])("of %i hours has %i points of %s", (hours, points, step) => {
    const { from, to, widthMs, ...chosen } = span(hours * HOUR_MS);
    expect([(to - from) / widthMs, chosen.step]).toEqual([points, step]);
  });

  test("is taken down and up to the step", () => {
    expect(spanOf({ from: T0 + 1, to: T0 + 60_001, step: "1m" })).toMatchObject({
      from: T0,
      to: T0 + 120_000,
    });
    expect(spanOf({ from: T0, to: T0 + 60_000, step: "1m" })).toMatchObject({ from: T0, to: T0 + 60_000 });
  });

  test("of more than 2 000 points is refused, and so is one without a length", () => {
    expect(span(2_000 * 60_000, "1m")).toMatchObject({ step: "1m" });
    expect(() => span(2_001 * 60_000, "1m")).toThrow(/\/step gives 2001 points/);
    expect(() => span(2_001 * 24 * HOUR_MS)).toThrow(/\/from gives 2001 points/);
    expect(() => spanOf({ from: T0, to: T0, step: null })).toThrow(/\/from must lie before to/);
  });
});
