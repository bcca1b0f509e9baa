/** A cron expression made from its meaning, so that a test knows what it says without parsing it. */
export interface Model {
  readonly text: string;
  readonly seconds: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Whether the day-of-month field names a date, given at its midnight on a UTC clock. */
  readonly monthDay: (date: Date) => boolean;
  readonly weekDay: (date: Date) => boolean;
  /** Whether a day field is `?` or begins with `*`. */
  readonly anyMonthDay: boolean;
  readonly anyWeekDay: boolean;
  /** Whether the second, minute or hour holds `*` or a step. */
  readonly stepped: boolean;
}

export function matchesTime(model: Model, local: number): boolean {
  const date = new Date(local);
  return (
    model.seconds.has(date.getUTCSeconds()) &&
    model.minutes.has(date.getUTCMinutes()) &&
    model.hours.has(date.getUTCHours())
  );
}

/** The Vixie rule: both must match when one is `*`, otherwise either may. */
export function matchesDate(model: Model, local: number): boolean {
  const date = new Date(local);
  if (!model.months.has(date.getUTCMonth() + 1)) return false;
  return model.anyMonthDay || model.anyWeekDay
    ? model.monthDay(date) && model.weekDay(date)
    : model.monthDay(date) || model.weekDay(date);
}

/** As `matchesDate`, were a step such as the one of two days a restriction like any other. */
export function eitherDayMatches(model: Model, local: number): boolean {
  const date = new Date(local);
  return model.months.has(date.getUTCMonth() + 1) && (model.monthDay(date) || model.weekDay(date));
}

export function matches(model: Model, local: number): boolean {
  return matchesTime(model, local) && matchesDate(model, local);
}
