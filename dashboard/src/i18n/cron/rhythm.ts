import { cronFields, weekDayOf, type CronField, type CronFields } from "./cron-fields.js";

/** More than that in a row is no sentence any more. */
const MOST_LISTED = 6;

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** From the first time of the day to the last; `null`: all day. */
export type Window = { readonly from: TimeOfDay; readonly to: TimeOfDay } | null;

export type Times =
  | { readonly kind: "at"; readonly times: readonly TimeOfDay[] }
  | { readonly kind: "seconds"; readonly every: number }
  | { readonly kind: "minutes"; readonly every: number; readonly within: Window }
  | {
      readonly kind: "hours";
      readonly every: number;
      readonly minutes: readonly number[];
      readonly within: Window;
    };

export type MonthDays =
  | { readonly kind: "days"; readonly days: readonly number[] }
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "last" }
  | { readonly kind: "beforeLast"; readonly days: number }
  | { readonly kind: "lastWorkingDay" }
  | { readonly kind: "nearest"; readonly day: number };

/** Monday is 1, Sunday is 7. */
export type WeekDays =
  | { readonly kind: "days"; readonly days: readonly number[] }
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "nth"; readonly week: number; readonly day: number }
  | { readonly kind: "last"; readonly day: number };

export type Months =
  | { readonly kind: "months"; readonly months: readonly number[] }
  | { readonly kind: "range"; readonly from: number; readonly to: number };

/** When an expression runs, taken apart for a sentence. With both kinds of days either of them may match. */
export interface Rhythm {
  readonly times: Times;
  readonly monthDays: MonthDays | null;
  readonly weekDays: WeekDays | null;
  readonly months: Months | null;
}

/** `null` for expressions that no short sentence tells. */
export function rhythmOf(cron: string): Rhythm | null {
  const fields = cronFields(cron);
  if (fields === null) return null;
  const times = timesOf(fields);
  const monthDays = monthDaysOf(fields.monthDay);
  const weekDays = weekDaysOf(fields.weekDay);
  const months = monthsOf(fields.month);
  if (times === null || monthDays === ODD || weekDays === ODD || months === ODD) return null;
  // With a star and a step in one of the fields, both must match.
  const both = monthDays !== null && weekDays !== null;
  if (both && (fields.monthDay.starred || fields.weekDay.starred)) return null;
  return { times, monthDays, weekDays, months };
}

const ODD = "odd";
type Odd = typeof ODD;

function timesOf({ second, minute, hour }: CronFields): Times | null {
  const [only = 0, ...others] = second.values ?? [0, 1];
  if (others.length > 0) {
    const every = evenStep(second, 60);
    return every !== null && minute.any && hour.any ? { kind: "seconds", every } : null;
  }
  if (minute.values === null || hour.values === null) return null;
  return (only === 0 ? repeated(minute, hour) : null) ?? listed(only, minute.values, hour.values);
}

function repeated(minute: CronField, hour: CronField): Times | null {
  const minutes = minute.values ?? [];
  const everyMinutes = evenStep(minute, 60);
  const everyHours = evenStep(hour, 24);
  const within = windowOf(hour, minutes);
  if (everyMinutes !== null) {
    if (everyHours === 1) return { kind: "minutes", every: everyMinutes, within: null };
    return within === null ? null : { kind: "minutes", every: everyMinutes, within };
  }
  if (minutes.length > MOST_LISTED) return null;
  // Few times are told one by one, as long as they are not those of every hour.
  if (everyHours !== null && everyHours < 24) {
    return { kind: "hours", every: everyHours, minutes, within: null };
  }
  const fewer = (hour.values ?? []).length > 2;
  return within !== null && fewer ? { kind: "hours", every: 1, minutes, within } : null;
}

function listed(second: number, minutes: readonly number[], hours: readonly number[]): Times | null {
  if (minutes.length * hours.length > MOST_LISTED) return null;
  const times = hours.flatMap((hour) => minutes.map((minute) => ({ hour, minute, second })));
  return { kind: "at", times };
}

/** The step of a field whose values lie evenly around the clock; `null` when they do not, or when there is only one. */
function evenStep({ values }: CronField, around: number): number | null {
  if (values === null || values.length < 2 || values[0] !== 0) return null;
  const step = around / values.length;
  return values.every((value, index) => value === index * step) ? step : null;
}

/** From the first minute of the first hour to the last of the last, when the hours follow one another. */
function windowOf({ values }: CronField, minutes: readonly number[]): Window {
  if (values === null || !isRow(values)) return null;
  const [from, to, first, last] = [values[0], values.at(-1), minutes[0], minutes.at(-1)];
  if (from === undefined || to === undefined || first === undefined || last === undefined) return null;
  return { from: { hour: from, minute: first, second: 0 }, to: { hour: to, minute: last, second: 0 } };
}

function monthDaysOf({ any, values, text }: CronField): MonthDays | null | Odd {
  if (any) return null;
  if (values !== null) return rowOrList(values, (days) => ({ kind: "days", days }));
  if (text === "L") return { kind: "last" };
  if (text === "LW") return { kind: "lastWorkingDay" };
  const before = /^L-(\d{1,2})$/.exec(text)?.[1];
  if (before !== undefined) return { kind: "beforeLast", days: Number(before) };
  const nearest = /^(\d{1,2})W$/.exec(text)?.[1];
  return nearest === undefined ? ODD : { kind: "nearest", day: Number(nearest) };
}

function weekDaysOf({ any, values, text }: CronField): WeekDays | null | Odd {
  if (any) return null;
  if (values !== null) {
    if (values.length === 7) return text.startsWith("*") ? null : ODD;
    return rowOrList(values, (days) => ({ kind: "days", days }));
  }
  const [, name = "", week] = /^([A-Z]{3}|\d)(?:L|#([1-5]))$/.exec(text) ?? [];
  const day = weekDayOf(name);
  if (day === null) return ODD;
  return week === undefined ? { kind: "last", day } : { kind: "nth", week: Number(week), day };
}

function monthsOf({ values }: CronField): Months | null | Odd {
  if (values === null) return ODD;
  return values.length === 12 ? null : rowOrList(values, (months) => ({ kind: "months", months }));
}

function rowOrList<List>(
  values: readonly number[],
  list: (values: readonly number[]) => List,
): List | { readonly kind: "range"; readonly from: number; readonly to: number } | Odd {
  const [from, to] = [values[0], values.at(-1)];
  if (from !== undefined && to !== undefined && values.length > 2 && isRow(values)) {
    return { kind: "range", from, to };
  }
  return values.length > MOST_LISTED ? ODD : list(values);
}

function isRow(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value === (values[index - 1] ?? 0) + 1);
}
