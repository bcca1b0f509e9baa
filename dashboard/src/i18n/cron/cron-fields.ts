/** What a field of a cron expression may hold. */
interface FieldSpec {
  readonly smallest: number;
  readonly largest: number;
  readonly names: readonly string[];
}

const SECOND = spec(0, 59);
const MINUTE = spec(0, 59);
const HOUR = spec(0, 23);
const MONTH_DAY = spec(1, 31);
const MONTH = spec(1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC");
const WEEK_DAY = spec(0, 7, "SUN MON TUE WED THU FRI SAT");

function spec(smallest: number, largest: number, names = ""): FieldSpec {
  return { smallest, largest, names: names.split(" ") };
}

/** A field as it is written, and its values where it says no more than a set of them. */
export interface CronField {
  readonly text: string;
  /** In order; `null` for `L`, `15W`, `FRI#2` and what is not understood. */
  readonly values: readonly number[] | null;
  /** It does not restrict: `*` or `?`. */
  readonly any: boolean;
  /** It begins with a star, as `*` and `*` with a step do. */
  readonly starred: boolean;
}

export interface CronFields {
  readonly second: CronField;
  readonly minute: CronField;
  readonly hour: CronField;
  readonly monthDay: CronField;
  readonly month: CronField;
  /** Monday is 1, Sunday is 7. */
  readonly weekDay: CronField;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * The fields of an expression; `null` when there are not five or six of them. It only reads: what is wrong with an
 * expression, the server says.
 */
export function cronFields(cron: string): CronFields | null {
  const text = cron.trim();
  const words = (NICKNAMES[text.toLowerCase()] ?? text).toUpperCase().split(/[ \t]+/);
  const [second, minute, hour, monthDay, month, weekDay] = words.length === 5 ? ["0", ...words] : words;
  if (words.length > 6 || !second || !minute || !hour || !monthDay || !month || !weekDay) return null;
  return {
    second: field(second, SECOND),
    minute: field(minute, MINUTE),
    hour: field(hour, HOUR),
    monthDay: field(monthDay, MONTH_DAY),
    month: field(month, MONTH),
    weekDay: mondayFirst(field(weekDay, WEEK_DAY)),
  };
}

const EVERY = /^@every\s+(?:(\d{1,8})d)?(?:(\d{1,8})h)?(?:(\d{1,8})m)?(?:(\d{1,8})s)?$/i;

/** The interval of `@every 1h30m` in milliseconds; `null` when it is none. */
export function cronInterval(cron: string): number | null {
  const parts = EVERY.exec(cron.trim());
  if (parts === null) return null;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const all = Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return all === 0 ? null : all * 1_000;
}

/** The number of a value as it is written in the day of week: `FRI` and `5` are 5, `SUN`, `0` and `7` are 7. */
export function weekDayOf(text: string): number | null {
  const value = valueOf(text, WEEK_DAY);
  return value === null ? null : sundayLast(value);
}

function field(text: string, of: FieldSpec): CronField {
  const any = text === "*" || text === "?";
  return { text, values: valuesOf(any ? "*" : text, of), any, starred: any || text.startsWith("*") };
}

function mondayFirst({ values, ...rest }: CronField): CronField {
  return { ...rest, values: values === null ? null : inOrder(values.map(sundayLast)) };
}

function sundayLast(day: number): number {
  return day === 0 ? 7 : day;
}

function valuesOf(text: string, of: FieldSpec): readonly number[] | null {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const span = spanOf(item, of);
    if (span === null) return null;
    values.push(...span);
  }
  return inOrder(values);
}

const SPAN = /^(\*|[A-Z]{3}|\d{1,2})(?:-([A-Z]{3}|\d{1,2}))?(?:\/(\d{1,2}))?$/;

function spanOf(item: string, of: FieldSpec): readonly number[] | null {
  const [, first = "", last, stepText] = SPAN.exec(item) ?? [];
  const from = first === "*" ? of.smallest : valueOf(first, of);
  const step = Number(stepText ?? 1);
  // The last value of a star and of an open step: 6 for the day of week, whose 7 is another name.
  const end = of === WEEK_DAY ? 6 : of.largest;
  let to: number | null = from;
  if (last !== undefined) to = last === "SUN" ? 7 : valueOf(last, of);
  else if (first === "*" || stepText !== undefined) to = end;
  if (from === null || to === null || to < from || step === 0) return null;
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function valueOf(text: string, of: FieldSpec): number | null {
  const named = of.names.indexOf(text);
  if (text !== "" && named !== -1) return of.smallest + named;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= of.smallest && value <= of.largest ? value : null;
}

function inOrder(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}
