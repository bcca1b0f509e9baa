import { expect, it } from "vitest";
import { durationRange, durationTicks } from "./duration-axis.js";

it("ends at round values around what is shown", () => {
  expect(durationRange(3, 792_000)).toEqual([2, 1_800_000]);
  expect(durationRange(1_000, 1_000)).toEqual([500, 2_000]);
  expect(durationRange(null, null)).toEqual([1, 1_000]);
});

it("has an end below and above whatever is shown", () => {
  for (const value of [0.2, 1, 40 * 86_400_000]) {
    const [start, end] = durationRange(value, value);
    expect(start).toBeLessThan(value);
    expect(end).toBeGreaterThan(value);
  }
});

it("divides at round values only, and at no more than there is room for", () => {
  expect(durationTicks(500, 60_000, 10)).toEqual([500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]);
  expect(durationTicks(1, 1_800_000, 7)).toEqual([1, 10, 100, 1_000, 10_000, 60_000, 600_000]);
  expect(durationTicks(1, 1_000, 0)).toEqual([1]);
});
