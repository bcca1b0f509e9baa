import type { CronField } from "./cron-error.js";

/** What a field may hold. */
export interface FieldSpec {
  readonly field: CronField;
  readonly smallest: number;
  /** The last value of a `*` and of an open step. */
  readonly largest: number;
  /** The largest number that may be written: 7 for the day of week, a second name of Sunday. */
  readonly largestWritten: number;
  /** Names of the values from `smallest` on. */
  readonly names: readonly string[];
}

export const SECOND = spec("second", 0, 59);
export const MINUTE = spec("minute", 0, 59);
export const HOUR = spec("hour", 0, 23);
export const DAY_OF_MONTH = spec("day of month", 1, 31);
export const MONTH = spec("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC");
export const DAY_OF_WEEK = { ...spec("day of week", 0, 6, "SUN MON TUE WED THU FRI SAT"), largestWritten: 7 };

function spec(field: CronField, smallest: number, largest: number, names = ""): FieldSpec {
  return {
    field,
    smallest,
    largest,
    largestWritten: largest,
    names: names === "" ? [] : names.split(" "),
  };
}

/** For a message: what can be written in the field. */
export function valuesOf(spec: FieldSpec): string {
  const numbers = `${spec.smallest} to ${spec.largestWritten}`;
  const first = spec.names[0];
  return first === undefined ? numbers : `${numbers} or ${first} to ${spec.names.at(-1) ?? ""}`;
}
