import { expect, test } from "vitest";
import { nextRun } from "./next.js";
import { parseCron } from "./parse.js";
import type { CronRule } from "./rule.js";
import { zone, type Shift } from "./zone.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RULES = ["0 30 * * * *", "*/20 * * * * *", "0 0,15,30,45 0-23 * * *", "30 2 * * *", "0 0 * * *"].map(
  (text) => parseCron(text) as CronRule,
);

function shiftsOf2026(name: string): Shift[] {
  const shifts: Shift[] = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += DAY) {
    const shift = zone(name).shiftBetween(at, at + DAY);
    if (shift !== null) shifts.push(shift);
  }
  return shifts;
}

const zones = Intl.supportedValuesOf("timeZone");

test.each(zones)(
  "CRN-09 %s moves strictly forward around its changes of 2026, without leaving a day out",
  (name) => {
    for (const rule of RULES) {
      for (const { at } of [...shiftsOf2026(name), { at: Date.UTC(2026, 5, 30) }]) {
        const end = at + 3 * HOUR;
        let now = at - 3 * HOUR;
        while (now < end) {
          const next = nextRun(rule, zone(name), now);
          if (next === null || next <= now || next - now > 26 * HOUR) {
            expect.fail(`after ${new Date(now).toISOString()} comes ${String(next)}`);
          }
          now = next;
        }
      }
    }
  },
);

test("CRN-09 some of the zones do change in 2026, in both directions", () => {
  const shifts = zones.flatMap(shiftsOf2026);
  expect(shifts.filter((shift) => shift.after > shift.before).length).toBeGreaterThan(50);
  expect(shifts.filter((shift) => shift.after < shift.before).length).toBeGreaterThan(50);
});
