import { expect, it } from "vitest";
import { isSilent, loadOf, shareOf } from "./load.js";

it("tells a silent worker from one that is heard", () => {
  const seenAt = "2026-01-05T09:00:00.000Z";
  const seen = Date.parse(seenAt);
  expect(isSilent({ seenAt }, seen + 30_000)).toBe(false);
  expect(isSilent({ seenAt }, seen + 30_001)).toBe(true);
  // The clock of the page may be behind for a moment.
  expect(isSilent({ seenAt }, seen - 5_000)).toBe(false);
});

it("adds up the slots", () => {
  expect(
    loadOf([
      { running: 2, concurrency: 10 },
      { running: 5, concurrency: 5 },
    ]),
  ).toEqual({ running: 7, slots: 15 });
  expect(loadOf([])).toEqual({ running: 0, slots: 0 });
});

it.each([
  [1, 4, 0.25],
  [6, 4, 1],
  [0, 0, 0],
])("%d of %d is %d", (running, slots, share) => {
  expect(shareOf({ running, slots })).toBe(share);
});
