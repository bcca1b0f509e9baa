import { readList } from "./field-list.js";
import { DAY_OF_MONTH, DAY_OF_WEEK } from "./field-spec.js";
import { FieldText } from "./field-text.js";
import { readNumber, readSpan, readSpanFrom, readValue } from "./field-values.js";
import type { MonthDays, WeekDays } from "./month-days.js";
import type { Word } from "./words.js";

const FURTHEST_FROM_LAST = 30;
const MOST_WEEKS = 5;

/** @throws CronError */
export function readMonthDays(word: Word): MonthDays {
  const text = new FieldText("day of month", starFor(word));
  let days = 0;
  let lastWorkingDay = false;
  const fromLast: number[] = [];
  const nearest: number[] = [];
  const unrestricted = text.peek() === "*";
  const add = (values: readonly number[]) => {
    for (const day of values) days |= 1 << (day - 1);
  };
  readList(text, () => {
    const from = text.at;
    const letters = text.takeLetters();
    if (letters === "LW") lastWorkingDay = true;
    else if (letters === "L") fromLast.push(text.take("-") ? readDistance(text) : 0);
    else if (letters !== "") {
      throw text.fault(`${text.readSince(from)} is not known; write 1 to 31, L, L-3, LW or 15W`, from);
    } else if (text.peek() === "*") add(readSpan(text, DAY_OF_MONTH));
    else {
      const first = readValue(text, DAY_OF_MONTH);
      if (text.takeLetter("W")) nearest.push(first.value);
      else add(readSpanFrom(text, DAY_OF_MONTH, from, first));
    }
  });
  return { days, fromLast, nearest, lastWorkingDay, unrestricted };
}

/** The 3 of `L-3`. */
function readDistance(text: FieldText): number {
  return readNumber(text, 1, FURTHEST_FROM_LAST, `1 to ${FURTHEST_FROM_LAST} days before the last`);
}

/** @throws CronError */
export function readWeekDays(word: Word): WeekDays {
  const text = new FieldText("day of week", starFor(word));
  let days = 0;
  let last = 0;
  const nth = new Array<number>(MOST_WEEKS).fill(0);
  const unrestricted = text.peek() === "*";
  const add = (values: readonly number[]) => {
    for (const day of values) days |= weekdayBit(day);
  };
  readList(text, () => {
    const from = text.at;
    if (text.takeLetter("L")) {
      throw text.fault("L needs a weekday before it; write 5L or FRIL for the last Friday", from);
    }
    if (text.peek() === "*") {
      add(readSpan(text, DAY_OF_WEEK));
      return;
    }
    const first = readValue(text, DAY_OF_WEEK);
    if (text.takeLetter("L")) last |= weekdayBit(first.value);
    else if (text.take("#")) {
      const week = readNumber(
        text,
        1,
        MOST_WEEKS,
        `1 to ${MOST_WEEKS} for the first to the fifth of a month`,
      );
      nth[week - 1] = (nth[week - 1] ?? 0) | weekdayBit(first.value);
    } else add(readSpanFrom(text, DAY_OF_WEEK, from, first));
  });
  return { days, last, nth, unrestricted };
}

function weekdayBit(day: number): number {
  return 1 << (day % 7);
}

/** `?` as a whole field is another spelling of `*`. */
function starFor(word: Word): Word {
  return word.text === "?" ? { ...word, text: "*" } : word;
}
