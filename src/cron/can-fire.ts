import { monthLength } from "./calendar.js";
import { monthShape } from "./month-days.js";
import { nextAllowed } from "./next-table.js";

const COMMON_YEAR = 2_001;
const LEAP_YEAR = 2_000;

/**
 * Whether any date matches. Within the 400 years after which the calendar repeats, every month begins with
 * every weekday, and so does a February of 29 days: it is enough to look at the shapes.
 */
export function canFire(months: readonly number[], days: readonly number[]): boolean {
  for (let month = 1; month <= 12; month += 1) {
    if (nextAllowed(months, month) !== month) continue;
    for (const year of [COMMON_YEAR, LEAP_YEAR]) {
      for (let weekday = 0; weekday < 7; weekday += 1) {
        if (days[monthShape(monthLength(year, month), weekday)] !== 0) return true;
      }
    }
  }
  return false;
}
