import { expect, it } from "vitest";
import { Slots } from "../../../../src/engine/schedules/slots.js";
import { intervalRuns } from "./interval-runs.js";

const NOW = Date.parse("2026-01-05T09:07:03.250Z");
const LATER = Date.parse("2026-01-05T10:02:00.000Z");

it.each([
  [300_000, null, null],
  [7_000, null, null],
  [300_000, NOW - 1_000, null],
  [300_000, LATER, null],
  [300_000, LATER, LATER + 600_000],
  [300_000, null, NOW],
])("every %d ms from %s to %s, as the server counts", (everyMs, startAt, endAt) => {
  const slots = new Slots({ cron: null, everyMs, timezone: "UTC", startAt, endAt });
  const expected: number[] = [];
  for (let slot = slots.after(NOW); slot !== null && expected.length < 5; slot = slots.after(slot)) {
    expected.push(slot);
  }
  expect(intervalRuns(everyMs, { startAt, endAt }, NOW, 5)).toEqual(expected);
});

it.each([0, -5, NaN, 1_500.5, Infinity])("knows no runs of %d ms", (everyMs) => {
  expect(intervalRuns(everyMs, { startAt: null, endAt: null }, NOW, 5)).toEqual([]);
});
