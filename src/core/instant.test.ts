import { afterEach, describe, expect, test } from "vitest";
import { MAX_INSTANT } from "./defaults.js";
import { formatInstant, parseInstant, type InstantInput } from "./instant.js";

const INSTANT = Date.UTC(2026, 0, 5, 9);

const timeZone = process.env["TZ"];
afterEach(() => {
  if (timeZone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = timeZone;
});

describe.each([undefined, "UTC", "Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu"])(
  "CLK-07 parseInstant in the time zone %s",
  (zone) => {
    const inZone = <T>(work: () => T): T => {
      if (zone !== undefined) process.env["TZ"] = zone;
      return work();
    };

    test("the zone is in force", () => {
      const hours = { "Pacific/Kiritimati": -14, "America/St_Johns": 3.5, "Asia/Kathmandu": -5.75 };
      if (zone === undefined || !(zone in hours)) return;
      const offset = inZone(() => new Date(INSTANT).getTimezoneOffset() / 60);
      expect(offset).toBe(hours[zone as keyof typeof hours]);
    });

    test.each<[string, InstantInput]>([
      ["UTC", "2026-01-05T09:00:00Z"],
      ["milliseconds", "2026-01-05T09:00:00.000Z"],
      ["more digits, cut after the milliseconds", "2026-01-05T09:00:00.000999999Z"],
      ["lower case letters", "2026-01-05t09:00:00z"],
      ["an offset to the east", "2026-01-05T14:30:00+05:30"],
      ["an offset to the west over midnight", "2026-01-04T21:00:00-12:00"],
      ["the unknown offset", "2026-01-05T09:00:00-00:00"],
      ["epoch milliseconds", INSTANT],
      ["a Date", new Date(INSTANT)],
    ])("takes %s: the same instant", (_, input) => {
      expect(inZone(() => parseInstant(input))).toBe(INSTANT);
    });

    test.each<[string, InstantInput]>([
      ["a time without an offset", "2026-01-05T09:00:00"],
      ["a time without seconds", "2026-03-08T02:30"],
      ["a date alone", "2026-01-05"],
      ["a space for the T", "2026-01-05 09:00:00Z"],
      ["words", "tomorrow"],
      ["a number as text", "1767603600000"],
      ["nothing", ""],
      ["another format of Date", "Mon, 05 Jan 2026 09:00:00 GMT"],
      ["text around it", " 2026-01-05T09:00:00Z"],
      ["a day that the month does not have", "2026-02-30T09:00:00Z"],
      ["a leap day of a common year", "2026-02-29T09:00:00Z"],
      ["a 31st of April", "2026-04-31T09:00:00Z"],
      ["day 0", "2026-01-00T09:00:00Z"],
      ["month 13", "2026-13-01T09:00:00Z"],
      ["hour 24", "2026-01-05T24:00:00Z"],
      ["hour 25", "2026-01-05T25:00:00Z"],
      ["minute 60", "2026-01-05T09:60:00Z"],
      ["a leap second", "2026-06-30T23:59:60Z"],
      ["an offset of a day", "2026-01-05T09:00:00+24:00"],
      ["an offset of 60 minutes", "2026-01-05T09:00:00+01:60"],
      ["epoch seconds", INSTANT / 1_000],
      ["zero", 0],
      ["a negative number", -1],
      ["NaN", Number.NaN],
      ["Infinity", Infinity],
      ["a Date that is none", new Date(Number.NaN)],
      ["a time before 2000", "1999-12-31T23:59:59.999Z"],
      ["a moment after the last instant", MAX_INSTANT + 1],
      ["the last instant of Date", 8.64e15],
      ["more than Date can hold", 8.64e15 + 1],
      ["a year of five digits", "+010000-01-01T00:00:00Z"],
    ])("refuses %s", (_, input) => {
      const parsed = inZone(() => parseInstant(input));
      expect(parsed).toEqual({ problem: expect.any(String) as string });
    });
  },
);

describe("parseInstant", () => {
  test("CLK-09 takes the first and the last instant", () => {
    expect(parseInstant("9999-12-31T23:59:59.999Z")).toBe(MAX_INSTANT);
    expect(parseInstant(MAX_INSTANT)).toBe(MAX_INSTANT);
    expect(parseInstant("2000-01-01T00:00:00Z")).toBe(Date.UTC(2000, 0, 1));
  });

  test("takes the leap day of a leap year", () => {
    expect(parseInstant("2028-02-29T00:00:00Z")).toBe(Date.UTC(2028, 1, 29));
  });

  test("rounds a fraction of a millisecond", () => {
    expect(parseInstant(INSTANT + 0.4)).toBe(INSTANT);
  });

  test("says seconds for seconds, so that the mistake is understood", () => {
    expect(parseInstant(INSTANT / 1_000)).toEqual({
      problem: expect.stringContaining("not seconds") as string,
    });
  });
});

test("formatInstant writes UTC with milliseconds, whatever the time zone", () => {
  process.env["TZ"] = "Pacific/Kiritimati";
  expect(formatInstant(INSTANT)).toBe("2026-01-05T09:00:00.000Z");
});
