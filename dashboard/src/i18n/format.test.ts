import { expect, it } from "vitest";
import { Formats, roughDuration } from "./format.js";

const HOUR = 3_600_000;
const rough = (ms: number): string => {
  const { n, unit } = roughDuration(ms);
  return `${n} ${unit}`;
};

it.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [HOUR - 1, "59 min"],
  [HOUR, "1 h"],
  [1.9 * HOUR, "2 h"],
  [24 * HOUR - 1, "24 h"],
  [36 * HOUR - 1, "36 h"],
  [36 * HOUR, "2 d"],
  [47 * HOUR, "2 d"],
  [71 * HOUR, "3 d"],
  [100 * 24 * HOUR, "100 d"],
])("says roughly how long %d ms are", (ms, text) => {
  expect(rough(ms)).toBe(text);
});

it.each([
  [0, "0%"],
  [0.000_4, "<0.1%"],
  [0.000_5, "0.1%"],
  [0.5, "50%"],
  [1, "100%"],
])("says that a share of %d is %s", (share, text) => {
  expect(new Formats("en", "UTC").percent(share)).toBe(text);
});

it("names the year of a day that is not of the present one, by the clocks of the zone", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  const newYear = Date.parse("2026-12-31T22:30:00Z");
  expect(new Formats("en", "UTC").dayFrom(newYear, now)).toBe("31 Dec");
  expect(new Formats("en", "Europe/Moscow").dayFrom(newYear, now)).toBe("1 Jan 2027");
});
