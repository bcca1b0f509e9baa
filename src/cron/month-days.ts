/** Which days of a month the day-of-month field names. */
export interface MonthDays {
  /** Bit 0 is the 1st. */
  readonly days: number;
  /** `L` is 0, `L-3` is 3: so many days before the last. */
  readonly fromLast: readonly number[];
  /** `15W`: the working day, Monday to Friday, nearest to this day and in the same month. */
  readonly nearest: readonly number[];
  /** `LW`: the last working day. */
  readonly lastWorkingDay: boolean;
  /** Whether the field is `?` or begins with `*`. */
  readonly unrestricted: boolean;
}

/** Which days of a month the day-of-week field names. Bit 0 is Sunday. */
export interface WeekDays {
  readonly days: number;
  /** `5L`: the last such weekday of the month. */
  readonly last: number;
  /** `5#2`: element 1 holds the weekdays whose second one in the month matches. */
  readonly nth: readonly number[];
  /** Whether the field is `?` or begins with `*`. */
  readonly unrestricted: boolean;
}

const SHORTEST = 28;
const LONGEST = 31;

/** A month's days depend only on how long it is and on the weekday it begins with: 28 shapes. */
export function monthShape(length: number, firstWeekday: number): number {
  return (length - SHORTEST) * 7 + firstWeekday;
}

/**
 * The matching days for every shape of a month.
 *
 * When both fields restrict the day, either may match; a field that begins with `*`, such as the step of
 * two days, does not restrict in this sense, and then both must match (the rule of Vixie cron).
 */
export function daysByShape(monthDays: MonthDays, weekDays: WeekDays): readonly number[] {
  const both = monthDays.unrestricted || weekDays.unrestricted;
  const masks: number[] = [];
  for (let length = SHORTEST; length <= LONGEST; length += 1) {
    for (let firstWeekday = 0; firstWeekday < 7; firstWeekday += 1) {
      const a = monthDayMask(monthDays, length, firstWeekday);
      const b = weekDayMask(weekDays, length, firstWeekday);
      masks[monthShape(length, firstWeekday)] = both ? a & b : a | b;
    }
  }
  return Object.freeze(masks);
}

function monthDayMask(field: MonthDays, length: number, firstWeekday: number): number {
  let mask = field.days & allDays(length);
  for (const distance of field.fromLast) {
    if (distance < length) mask |= bit(length - distance);
  }
  for (const day of field.nearest) {
    if (day <= length) mask |= bit(nearestWorkingDay(day, length, firstWeekday));
  }
  if (field.lastWorkingDay) mask |= bit(nearestWorkingDay(length, length, firstWeekday));
  return mask;
}

function nearestWorkingDay(day: number, length: number, firstWeekday: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function weekDayMask(field: WeekDays, length: number, firstWeekday: number): number {
  let mask = 0;
  for (let day = 1; day <= length; day += 1) {
    const weekday = 1 << ((firstWeekday + day - 1) % 7);
    const named =
      (field.days & weekday) !== 0 ||
      ((field.last & weekday) !== 0 && day > length - 7) ||
      ((field.nth[Math.floor((day - 1) / 7)] ?? 0) & weekday) !== 0;
    if (named) mask |= bit(day);
  }
  return mask;
}

function bit(day: number): number {
  return 1 << (day - 1);
}

function allDays(length: number): number {
  return 2 ** length - 1;
}

/** The smallest day in the mask that is at least `from`; 0 when there is none. */
export function nextDay(mask: number, from: number): number {
  const rest = from > LONGEST ? 0 : mask & (-1 << (from - 1));
  return rest === 0 ? 0 : LONGEST + 1 - Math.clz32(rest & -rest);
}
