import { describe, expect, test } from "vitest";
import { UnknownZoneError, zone } from "./zone.js";

const HOUR = 3_600_000;

describe("zone", () => {
  test("is the same object in every spelling, with the name as Intl writes it", () => {
    expect(zone("europe/paris").name).toBe("Europe/Paris");
    expect(zone("EUROPE/PARIS")).toBe(zone("Europe/Paris"));
    expect(zone("US/Eastern")).toBe(zone("America/New_York"));
    expect(zone("Etc/GMT+5").offsetAt(0)).toBe(-5 * HOUR);
  });

  test.each([
    "",
    " ",
    "UTC ",
    "+02:00",
    "-05:00",
    "+0200",
    "Mars/Olympus",
    "Europe/Paris\0",
    "../UTC",
    "Asia/Hong_\u212aong",
    "A".repeat(100_000),
  ])("refuses %j", (name) => {
    expect(() => zone(name)).toThrow(UnknownZoneError);
    expect(() => zone(name)).toThrow(RangeError);
    expect(() => zone(name)).toThrow(/such as UTC or Europe\/Paris$/);
  });

  test.each([
    ["UTC", "2026-07-01T00:00Z", 0],
    ["America/New_York", "2026-03-08T06:59:59.999Z", -5],
    ["America/New_York", "2026-03-08T07:00Z", -4],
    ["Asia/Kathmandu", "2026-07-01T00:00Z", 5.75],
    ["Australia/Lord_Howe", "2026-04-04T14:59:59Z", 11],
    ["Australia/Lord_Howe", "2026-04-04T15:00Z", 10.5],
    ["Pacific/Apia", "2011-12-30T09:59:59Z", -10],
    ["Pacific/Apia", "2011-12-30T10:00Z", 14],
    ["Africa/Monrovia", "1970-01-01T00:00Z", -(44 * 60 + 30) / 3_600],
    ["America/New_York", "9999-07-01T00:00Z", -4],
    ["Europe/Paris", "-001000-01-01T00:00Z", (9 * 60 + 21) / 3_600],
  ])("offset of %s at %s: %d h", (name, instant, hours) => {
    expect(zone(name).offsetAt(Date.parse(instant))).toBe(hours * HOUR);
  });

  test("finds a change at the first instant of one of the weeks that it keeps", () => {
    const at = Date.UTC(2004, 3, 1);
    expect((at / (24 * HOUR)) % 7).toBe(0);
    const shift = { at, before: 3 * HOUR, after: 4 * HOUR };
    expect(zone("Asia/Baghdad").shiftBetween(at - 1, at)).toEqual(shift);
    expect(zone("Asia/Baghdad").shiftBetween(at - HOUR, at + HOUR)).toEqual(shift);
    expect(zone("Asia/Baghdad").shiftBetween(at, at + HOUR)).toBeNull();
  });

  test("answers as before when more weeks were asked for than it keeps", () => {
    const paris = zone("Europe/Paris");
    const instants = Array.from({ length: 600 }, (_, index) => Date.UTC(2026, 0, 1) + index * 7 * 24 * HOUR);
    const first = instants.map((instant) => paris.offsetAt(instant));
    expect(instants.map((instant) => paris.offsetAt(instant))).toEqual(first);
    expect(new Set(first)).toEqual(new Set([HOUR, 2 * HOUR]));
  });
});
