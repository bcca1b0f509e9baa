import { describe, expect, test } from "vitest";
import { describeShift, nextRun } from "./next.js";
import { parseCron } from "./parse.js";
import type { CronRule } from "./rule.js";
import { zone } from "./zone.js";

function cron(text: string): CronRule {
  const rule = parseCron(text);
  if (rule.kind !== "cron") throw new Error(`${text} is no cron rule`);
  return rule;
}

function iso(instant: number | null): string {
  return instant === null ? "never" : new Date(instant).toISOString().replace(/:00\.000Z$/, "Z");
}

/** As many runs as wanted, written as `2026-01-05T09:00Z`. */
function runs(text: string, zoneName: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at: number | null = Date.parse(after);
  while (found.length < count && at !== null) {
    at = nextRun(cron(text), zone(zoneName), at);
    found.push(iso(at));
  }
  return found;
}

const NEW_YORK = "America/New_York";

describe("nextRun", () => {
  test.each<[id: string, text: string, zoneName: string, after: string, wanted: string[]]>([
    [
      "CRN-01 either of two restricted days",
      "0 0 13 * 5",
      "UTC",
      "2026-01-01T00:00Z",
      ["02", "09", "13", "16", "23", "30"].map((day) => `2026-01-${day}T00:00Z`),
    ],
    [
      "CRN-03 a range of all days is a restriction",
      "0 0 1-31 * 4",
      "UTC",
      "2024-12-01T00:00Z",
      ["2024-12-02T00:00Z", "2024-12-03T00:00Z", "2024-12-04T00:00Z"],
    ],
    [
      "CRN-04 a field that begins with * is none, and both days must match",
      "0 0 */2 * 1",
      "UTC",
      "2026-06-01T00:00Z",
      ["06-15", "06-29", "07-13", "07-27", "08-03"].map((date) => `2026-${date}T00:00Z`),
    ],
    [
      "CRN-06 a question mark is no restriction",
      "0 12 ? * FRI",
      "UTC",
      "2023-04-13T00:00Z",
      ["2023-04-14T12:00Z", "2023-04-21T12:00Z", "2023-04-28T12:00Z"],
    ],
    [
      "CRN-07 New Year and the Sundays of January",
      "0 0 1 1 0",
      "UTC",
      "2011-06-16T00:00Z",
      ["2012-01-01T00:00Z", "2012-01-08T00:00Z", "2012-01-15T00:00Z"],
    ],
    [
      "CRN-09 every minute across a gap",
      "* * * * *",
      NEW_YORK,
      "2026-03-08T06:59Z",
      ["2026-03-08T07:00Z", "2026-03-08T07:01Z"],
    ],
    [
      "CRN-10 every five minutes across a gap",
      "*/5 * * * *",
      NEW_YORK,
      "2026-03-08T06:59Z",
      ["2026-03-08T07:00Z", "2026-03-08T07:05Z"],
    ],
    [
      "CRN-12 a time of the repeated hour runs once",
      "30 1 * * *",
      NEW_YORK,
      "2026-11-01T04:00Z",
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ],
    [
      "CRN-13 and not again when asked between its two passes",
      "30 1 * * *",
      NEW_YORK,
      "2026-11-01T05:45Z",
      ["2026-11-02T06:30Z"],
    ],
    [
      "CRN-13 nor when asked in the second pass",
      "30 1 * * *",
      NEW_YORK,
      "2026-11-01T06:10Z",
      ["2026-11-02T06:30Z"],
    ],
    [
      "CRN-15 a step goes on in the second pass",
      "*/15 * * * *",
      NEW_YORK,
      "2026-11-01T06:20Z",
      ["2026-11-01T06:30Z", "2026-11-01T06:45Z", "2026-11-01T07:00Z"],
    ],
    [
      "CRN-15 and from the first pass into the second",
      "*/30 * * * *",
      NEW_YORK,
      "2026-11-01T05:15Z",
      ["2026-11-01T05:30Z", "2026-11-01T06:00Z", "2026-11-01T06:30Z", "2026-11-01T07:00Z"],
    ],
    [
      "CRN-16 a range of hours is of fixed times, each of which runs once",
      "0 1-3 * * *",
      NEW_YORK,
      "2026-11-01T04:30Z",
      ["2026-11-01T05:00Z", "2026-11-01T07:00Z", "2026-11-01T08:00Z"],
    ],
    [
      "CRN-16 a step of hours runs in both passes",
      "0 1-3/1 * * *",
      NEW_YORK,
      "2026-11-01T04:30Z",
      ["2026-11-01T05:00Z", "2026-11-01T06:00Z", "2026-11-01T07:00Z", "2026-11-01T08:00Z"],
    ],
    [
      "CRN-18 a midnight that does not exist",
      "0 0 * * *",
      "America/Santiago",
      "2026-09-05T12:00Z",
      ["2026-09-06T04:00Z", "2026-09-07T03:00Z"],
    ],
    [
      "CRN-19 a midnight that does not exist",
      "0 0 * * *",
      "Africa/Cairo",
      "2026-04-23T12:00Z",
      ["2026-04-23T22:00Z", "2026-04-24T21:00Z"],
    ],
    [
      "CRN-21 an overlap of half an hour",
      "45 1 * * *",
      "Australia/Lord_Howe",
      "2026-04-04T12:00Z",
      ["2026-04-04T14:45Z", "2026-04-05T15:15Z"],
    ],
    [
      "CRN-22 the first of two 02:00",
      "0 2 * * *",
      "Europe/Copenhagen",
      "2018-10-27T12:00Z",
      ["2018-10-28T00:00Z", "2018-10-29T01:00Z"],
    ],
    [
      "CRN-24 the 31st of the months that have one",
      "0 0 31 * *",
      "UTC",
      "2026-01-31T00:00Z",
      ["03", "05", "07", "08", "10"].map((month) => `2026-${month}-31T00:00Z`),
    ],
    [
      "CRN-25 29 February",
      "0 0 29 2 *",
      "UTC",
      "2026-01-01T00:00Z",
      ["2028-02-29T00:00Z", "2032-02-29T00:00Z"],
    ],
    [
      "CRN-25 across a year 2100 without one",
      "0 0 29 2 *",
      "UTC",
      "2096-03-01T00:00Z",
      ["2104-02-29T00:00Z"],
    ],
    ["CRN-25 also of steps", "*/30 0 29 2 *", "UTC", "2096-03-01T00:00Z", ["2104-02-29T00:00Z"]],
    [
      "CRN-25 on a Sunday",
      "0 0 29 2 */7",
      "UTC",
      "2080-03-01T00:00Z",
      ["2088-02-29T00:00Z", "2128-02-29T00:00Z"],
    ],
    [
      "CRN-27 a step begins anew with the hour",
      "*/40 * * * *",
      "UTC",
      "2026-01-05T00:30Z",
      ["2026-01-05T00:40Z", "2026-01-05T01:00Z", "2026-01-05T01:40Z"],
    ],
    [
      "CRN-27 a step begins anew with the hour",
      "*/7 * * * *",
      "UTC",
      "2026-01-05T00:50Z",
      ["2026-01-05T00:56Z", "2026-01-05T01:00Z", "2026-01-05T01:07Z"],
    ],
    [
      "CRN-28 7 is Sunday",
      "0 0 * * 5-7",
      "UTC",
      "2026-01-01T00:00Z",
      ["02", "03", "04", "09"].map((day) => `2026-01-${day}T00:00Z`),
    ],
    [
      "CRN-30 a date that is left out has no run",
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-29T00:00Z",
      ["2011-12-29T22:00Z", "2011-12-30T22:00Z", "2011-12-31T22:00Z"],
    ],
    [
      "CRN-31 Ramadan changes the clocks",
      "0 6 * * *",
      "Africa/Casablanca",
      "2026-02-13T12:00Z",
      ["2026-02-14T05:00Z", "2026-02-15T06:00Z"],
    ],
    [
      "CLK-10 the elapsed time of a day changes with the clocks",
      "0 9 * * *",
      NEW_YORK,
      "2026-03-06T14:00Z",
      ["2026-03-07T14:00Z", "2026-03-08T13:00Z"],
    ],
    [
      "several times in a gap run once, together with its end",
      "0,30 2,3 * * *",
      NEW_YORK,
      "2026-03-07T12:00Z",
      ["2026-03-08T07:00Z", "2026-03-08T07:30Z", "2026-03-09T06:00Z"],
    ],
    [
      "steps have no runs in a gap",
      "*/30 2 * * *",
      NEW_YORK,
      "2026-03-07T12:00Z",
      ["2026-03-09T06:00Z", "2026-03-09T06:30Z"],
    ],
    [
      "seconds are the first of six fields",
      "20,50 59 1 * * *",
      "UTC",
      "2026-01-05T01:59:20Z",
      ["2026-01-05T01:59:50.000Z", "2026-01-06T01:59:20.000Z"],
    ],
    [
      "the last day, the third last and the last working day",
      "0 0 L,L-3,LW * *",
      "UTC",
      "2026-01-20T00:00Z",
      ["01-28", "01-30", "01-31", "02-25", "02-27", "02-28"].map((date) => `2026-${date}T00:00Z`),
    ],
    [
      "the working day nearest to the 1st, 15th and 31st stays in the month that has the day",
      "0 0 1W,15W,31W * *",
      "UTC",
      "2026-07-31T12:00Z",
      ["08-03", "08-14", "08-31", "09-01", "09-15", "10-01", "10-15", "10-30"].map(
        (date) => `2026-${date}T00:00Z`,
      ),
    ],
    [
      "a last day on a Sunday has its working day two days before",
      "0 0 31W * *",
      "UTC",
      "2026-05-02T00:00Z",
      ["2026-05-29T00:00Z", "2026-07-31T00:00Z"],
    ],
    [
      "the last Friday of a short month",
      "0 0 * * FRIL",
      "UTC",
      "2025-02-01T00:00Z",
      ["2025-02-28T00:00Z", "2025-03-28T00:00Z", "2025-04-25T00:00Z", "2025-05-30T00:00Z"],
    ],
    [
      "the last Monday of a month of 29 days",
      "0 0 * * 1L",
      "UTC",
      "2028-02-01T00:00Z",
      ["2028-02-28T00:00Z", "2028-03-27T00:00Z"],
    ],
    [
      "the last Thursday of a month that begins with one",
      "0 0 * * THUL",
      "UTC",
      "2029-02-01T00:00Z",
      ["2029-02-22T00:00Z"],
    ],
    [
      "30 days before the last is a day of the long months only",
      "0 0 L-30 * *",
      "UTC",
      "2026-01-15T00:00Z",
      ["2026-03-01T00:00Z", "2026-05-01T00:00Z"],
    ],
    [
      "the last Friday and the second Tuesday",
      "0 0 * * FRIL,2#2",
      "UTC",
      "2026-01-01T00:00Z",
      ["01-13", "01-30", "02-10", "02-27"].map((date) => `2026-${date}T00:00Z`),
    ],
  ])("%s: %s", (_id, text, zoneName, after, wanted) => {
    expect(runs(text, zoneName, after, wanted.length)).toEqual(wanted);
  });

  test("a run lies strictly after, whatever the milliseconds", () => {
    const at = Date.UTC(2026, 0, 5, 9);
    const rule = cron("0 9 * * *");
    expect(nextRun(rule, zone("UTC"), at - 1)).toBe(at);
    expect(nextRun(rule, zone("UTC"), at - 0.5)).toBe(at);
    expect(nextRun(rule, zone("UTC"), at)).toBe(at + 86_400_000);
    expect(nextRun(cron("* * * * * *"), zone("UTC"), at + 999)).toBe(at + 1_000);
  });

  test("there is nothing from the year 10000 on", () => {
    const yearly = cron("59 23 31 12 *");
    const last = Date.UTC(9_999, 11, 31, 23, 59);
    expect(nextRun(yearly, zone("UTC"), last - 1)).toBe(last);
    expect(nextRun(yearly, zone("UTC"), last)).toBeNull();
    expect(nextRun(yearly, zone(NEW_YORK), last)).toBeNull();
    expect(nextRun(yearly, zone("UTC"), 8.64e15)).toBeNull();
  });

  test("a rule whose times all fall in the gaps to come ends", () => {
    const rule = cron("*/5 2 * 3 SUN#2");
    const found = nextRun(rule, zone(NEW_YORK), Date.UTC(2006, 2, 12, 7, 50));
    expect(iso(found)).toBe("2006-03-12T07:55Z");
    expect(nextRun(rule, zone(NEW_YORK), found!)).toBeNull();
  });

  test.each([Number.NaN, Infinity, -Infinity, 8.64e15 + 1])("%d is no instant to ask after", (after) => {
    expect(() => nextRun(cron("* * * * *"), zone("UTC"), after)).toThrow(RangeError);
  });
});

describe("describeShift", () => {
  test.each([
    ["a time in the gap", "30 2 * * *", NEW_YORK, "2026-03-08T07:00Z", "after_gap"],
    ["a time in the gap and one at its end", "0,30 2,3 * * *", NEW_YORK, "2026-03-08T07:00Z", "after_gap"],
    ["only the gap's end", "0 3 * * *", NEW_YORK, "2026-03-08T07:00Z", null],
    ["a step at the gap's end", "*/30 * * * *", NEW_YORK, "2026-03-08T07:00Z", null],
    ["a date that is left out", "0 0 * * *", "Pacific/Apia", "2011-12-30T10:00Z", null],
    ["the first pass", "30 1 * * *", NEW_YORK, "2026-11-01T05:30Z", "repeated_hour"],
    ["the first instant of the second pass", "*/30 * * * *", NEW_YORK, "2026-11-01T06:00Z", "repeated_hour"],
    ["the end of the second pass", "*/30 * * * *", NEW_YORK, "2026-11-01T07:00Z", null],
    ["the hour before the first pass", "*/30 * * * *", NEW_YORK, "2026-11-01T04:30Z", null],
    ["an ordinary day", "30 1 * * *", NEW_YORK, "2026-11-02T06:30Z", null],
  ])("%s: %s", (_what, text, zoneName, instant, wanted) => {
    expect(describeShift(cron(text), zone(zoneName), Date.parse(instant))).toBe(wanted);
  });
});
