import { describe, expect, test } from "vitest";
import type { Timing } from "../../core/schedule.js";
import { Slots } from "./slots.js";

const NO_TIMING: Timing = { cron: null, everyMs: null, timezone: "UTC", startAt: null, endAt: null };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function at(text: string): number {
  return Date.parse(text);
}

function slots(timing: Partial<Timing>): Slots {
  return new Slots({ ...NO_TIMING, ...timing });
}

function firstAfter(timing: Partial<Timing>, after: string, count: number): string[] {
  const found: string[] = [];
  const all = slots(timing);
  for (let slot = all.after(at(after)); slot !== null && found.length < count; slot = all.after(slot)) {
    found.push(new Date(slot).toISOString().slice(0, 19));
  }
  return found;
}

describe("slots of an interval", () => {
  test("lie on multiples of it since 1970, whenever it was made", () => {
    expect(firstAfter({ everyMs: 15 * MINUTE }, "2026-01-05T09:10:00Z", 2)).toEqual([
      "2026-01-05T09:15:00",
      "2026-01-05T09:30:00",
    ]);
    expect(firstAfter({ everyMs: 15 * MINUTE }, "2026-01-05T09:15:00Z", 1)).toEqual(["2026-01-05T09:30:00"]);
  });

  test("SCH-09 are counted from startAt, which may lie in the past", () => {
    const timing = { everyMs: 15 * MINUTE, startAt: at("2026-01-01T00:03:00Z") };
    expect(firstAfter(timing, "2026-01-05T09:10:00Z", 4)).toEqual([
      "2026-01-05T09:18:00",
      "2026-01-05T09:33:00",
      "2026-01-05T09:48:00",
      "2026-01-05T10:03:00",
    ]);
  });

  test("begin with startAt itself", () => {
    const timing = { everyMs: HOUR, startAt: at("2026-01-05T09:10:00Z") };
    expect(firstAfter(timing, "2026-01-01T00:00:00Z", 2)).toEqual([
      "2026-01-05T09:10:00",
      "2026-01-05T10:10:00",
    ]);
  });

  test("CLK-10 are as far apart as it says when the clocks change", () => {
    const timing = { everyMs: 2 * HOUR, timezone: "America/New_York" };
    expect(firstAfter(timing, "2026-03-08T06:00:00Z", 1)).toEqual(["2026-03-08T08:00:00"]);
    const daily = slots({ everyMs: 24 * HOUR, timezone: "America/New_York" });
    const first = daily.after(at("2026-03-07T12:00:00Z"))!;
    expect(daily.after(first)! - first).toBe(86_400_000);
  });

  test("@every is an interval too", () => {
    expect(firstAfter({ cron: "@every 5m" }, "2026-01-05T09:11:00Z", 2)).toEqual([
      "2026-01-05T09:15:00",
      "2026-01-05T09:20:00",
    ]);
  });
});

describe("slots of a cron rule", () => {
  test("are those of its time zone", () => {
    const timing = { cron: "0 9 * * *", timezone: "America/New_York" };
    expect(firstAfter(timing, "2026-03-07T12:00:00Z", 2)).toEqual([
      "2026-03-07T14:00:00",
      "2026-03-08T13:00:00",
    ]);
  });

  test("end with endAt, which is one of them", () => {
    const timing = { cron: "0 * * * *", endAt: at("2026-01-05T02:00:00Z") };
    expect(firstAfter(timing, "2026-01-05T00:30:00Z", 9)).toEqual([
      "2026-01-05T01:00:00",
      "2026-01-05T02:00:00",
    ]);
  });
});

describe("the latest slots of a stretch", () => {
  const SECONDS = { everyMs: 1_000 };
  const from = at("2026-01-05T00:00:01Z");

  test.each<[string, Partial<Timing>, from: string, until: string, latest: string | null]>([
    ["the only one", { cron: "0 12 * * *" }, "2026-01-05T12:00Z", "2026-01-05T12:00Z", "2026-01-05T12:00:00"],
    ["not the one after it", SECONDS, "2026-01-05T00:00Z", "2026-01-05T00:00:09.999Z", "2026-01-05T00:00:09"],
    ["years later", SECONDS, "2000-01-01T00:00Z", "2026-01-05T00:00:00.500Z", "2026-01-05T00:00:00"],
    ["rare ones", { cron: "0 0 29 2 *" }, "2000-02-29T00:00Z", "2027-12-31T00:00Z", "2024-02-29T00:00:00"],
    ["none", { cron: "0 0 29 2 *" }, "2025-01-01T00:00Z", "2027-12-31T00:00Z", null],
    [
      "no later than endAt",
      { ...SECONDS, endAt: at("2026-01-05T00:00:05Z") },
      "2026-01-05T00:00Z",
      "2026-01-06T00:00Z",
      "2026-01-05T00:00:05",
    ],
  ])("%s", (_what, timing, begin, until, latest) => {
    const found = slots(timing).latest(at(begin), at(until));
    expect(found === null ? null : new Date(found).toISOString().slice(0, 19)).toBe(latest);
  });

  test("are found with few looks at the rule, however long the stretch", () => {
    const all = slots(SECONDS);
    let looks = 0;
    const after = all.after.bind(all);
    all.after = (instant) => {
      looks += 1;
      return after(instant);
    };
    all.latest(at("2000-01-01T00:00:00Z"), at("2026-01-05T00:00:00Z"));
    expect(looks).toBeLessThan(60);
  });

  test("come oldest first, as many as wanted or as there are", () => {
    const all = slots(SECONDS);
    expect(all.latestMany(from, from + 10_000, 3)).toEqual([from + 8_000, from + 9_000, from + 10_000]);
    expect(all.latestMany(from, from + 1_000, 3)).toEqual([from, from + 1_000]);
    expect(all.latestMany(from + 1, from + 2, 3)).toEqual([]);
  });
});
