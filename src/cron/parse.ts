import { canFire } from "./can-fire.js";
import { CronError } from "./cron-error.js";
import { readMonthDays, readWeekDays } from "./day-fields.js";
import { HOUR, MINUTE, MONTH, SECOND } from "./field-spec.js";
import { daysByShape } from "./month-days.js";
import { parseNickname } from "./nickname.js";
import type { CronRule, IntervalRule } from "./rule.js";
import { readTimeField } from "./time-field.js";
import { wordsOf, type Word } from "./words.js";

const MAX_LENGTH = 255;
const FIELDS = "minute, hour, day of month, month, day of week";

/**
 * Parses five fields (minute, hour, day of month, month, day of week), six with the second in front, or a
 * nickname such as `@daily` or `@every 5m`. Fields are separated by spaces or tabs.
 *
 * @throws CronError when the expression is not understood, or can never match a date
 */
export function parseCron(text: string): CronRule | IntervalRule {
  if (text.length > MAX_LENGTH) {
    throw new CronError(
      null,
      MAX_LENGTH + 1,
      `${text.length} characters are too many; write ${MAX_LENGTH} at most`,
    );
  }
  const words = wordsOf(text);
  const [first, ...rest] = words;
  if (first === undefined) {
    throw new CronError(null, 1, `it is empty; write five fields (${FIELDS}), such as 0 9 * * 1-5`);
  }
  if (first.text.startsWith("@")) {
    const meaning = parseNickname([first, ...rest]);
    return typeof meaning === "string" ? parseFields(wordsOf(meaning), meaning) : meaning;
  }
  if (/^(?:CRON_)?TZ=/i.test(first.text)) {
    throw new CronError(
      null,
      first.start + 1,
      `the time zone is no part of the expression; give it in the field "timezone"`,
    );
  }
  return parseFields(words, text);
}

/** A second that is not written is the number 0. */
const NO_SECOND: Word = { text: "0", start: 0 };

function parseFields(words: readonly Word[], text: string): CronRule {
  const [second, minute, hour, monthDay, month, weekDay] = words.length === 5 ? [NO_SECOND, ...words] : words;
  if (!second || !minute || !hour || !monthDay || !month || !weekDay || words.length > 6) {
    throw wrongCount(words, text);
  }
  const rule: CronRule = {
    kind: "cron",
    seconds: readTimeField(second, SECOND),
    minutes: readTimeField(minute, MINUTE),
    hours: readTimeField(hour, HOUR),
    days: daysByShape(readMonthDays(monthDay), readWeekDays(weekDay)),
    months: readTimeField(month, MONTH),
    stepped: [second, minute, hour].some((word) => /[*/]/.test(word.text)),
  };
  if (!canFire(rule.months, rule.days)) {
    throw new CronError(
      "day of month",
      monthDay.start + 1,
      "it never runs: no month that is named has such a day; change the day or the month",
    );
  }
  return Object.freeze(rule);
}

function wrongCount(words: readonly Word[], text: string): CronError {
  const seventh = words[6];
  const position = seventh === undefined ? text.length + 1 : seventh.start + 1;
  const fields = words.length === 1 ? "1 field was" : `${words.length} fields were`;
  return new CronError(
    null,
    position,
    `${fields} found; write five (${FIELDS}), or six with the second in front`,
  );
}
