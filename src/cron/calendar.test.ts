import { expect, test } from "vitest";
import { dateOf, dayNumberOf, monthLength, weekdayOf } from "./calendar.js";

const DAY = 86_400_000;

test("every day of 400 years and more is the one that Date knows", () => {
  for (let day = -200_000; day < 200_000; day += 1) {
    const date = new Date(day * DAY);
    const { year, month, day: dayOfMonth } = dateOf(day);
    const same =
      year === date.getUTCFullYear() &&
      month === date.getUTCMonth() + 1 &&
      dayOfMonth === date.getUTCDate() &&
      weekdayOf(day) === date.getUTCDay() &&
      dayNumberOf(year, month, dayOfMonth) === day;
    if (!same) expect.fail(`day ${day} is ${date.toISOString()}`);
  }
});

test("every month has the length that Date knows", () => {
  for (let year = 1_900; year <= 2_400; year += 1) {
    for (let month = 1; month <= 12; month += 1) {
      expect(monthLength(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
    }
  }
});
