import { dateOf, dayNumberOf, monthLength, weekdayOf } from "./calendar.js";
import { monthShape, nextDay } from "./month-days.js";
import { nextAllowed, NONE } from "./next-table.js";
import type { CronRule } from "./rule.js";

const DAY = 86_400;
const LAST_YEAR = 9_999;

/**
 * The first local time from `from` on, itself included, that the rule names; `null` when there is none
 * before the year 10000. Local times are seconds on a clock without changes: 1970-01-01T00:00:00 is 0.
 */
export function nextMatch(rule: CronRule, from: number): number | null {
  const day = Math.floor(from / DAY);
  const time = nextTimeOfDay(rule, from - day * DAY);
  const matching = nextMatchingDay(rule, time === NONE ? day + 1 : day);
  if (matching === null) return null;
  return matching * DAY + (matching === day ? time : nextTimeOfDay(rule, 0));
}

function nextMatchingDay(rule: CronRule, fromDay: number): number | null {
  const date = dateOf(fromDay);
  let { year, day } = date;
  let month = nextAllowed(rule.months, date.month);
  if (month !== date.month) day = 1;
  for (;;) {
    if (month === NONE) {
      year += 1;
      month = nextAllowed(rule.months, 1);
    }
    if (year > LAST_YEAR) return null;
    const first = dayNumberOf(year, month, 1);
    const mask = rule.days[monthShape(monthLength(year, month), weekdayOf(first))] ?? 0;
    const found = nextDay(mask, day);
    if (found !== 0) return first + found - 1;
    month = nextAllowed(rule.months, month + 1);
    day = 1;
  }
}

/** In seconds since the day began; `NONE` when the day has no such time left. */
function nextTimeOfDay(rule: CronRule, from: number): number {
  const hour = Math.floor(from / 3_600);
  const minute = Math.floor((from % 3_600) / 60);
  if (nextAllowed(rule.hours, hour) === hour) {
    if (nextAllowed(rule.minutes, minute) === minute) {
      const second = nextAllowed(rule.seconds, from % 60);
      if (second !== NONE) return hour * 3_600 + minute * 60 + second;
    }
    const laterMinute = nextAllowed(rule.minutes, minute + 1);
    if (laterMinute !== NONE) return hour * 3_600 + laterMinute * 60 + nextAllowed(rule.seconds, 0);
  }
  const laterHour = nextAllowed(rule.hours, hour + 1);
  if (laterHour === NONE) return NONE;
  return laterHour * 3_600 + nextAllowed(rule.minutes, 0) * 60 + nextAllowed(rule.seconds, 0);
}
