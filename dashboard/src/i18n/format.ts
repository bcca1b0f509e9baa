import type { Language } from "./message.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;
const LEAST_SHARE = 0.001;

export type DurationUnit = "ms" | "s" | "min" | "h" | "d";
export type SizeUnit = "bytes" | "kib" | "mib" | "gib";

/** One or two parts of a duration, the largest first: `3 min 05 s`. A negative one counts as none. */
export function durationParts(ms: number): readonly { readonly n: string; readonly unit: DurationUnit }[] {
  const whole = Math.max(0, ms);
  if (whole < SECOND) return [{ n: String(Math.round(whole)), unit: "ms" }];
  if (whole < MINUTE) return [{ n: secondsOf(whole), unit: "s" }];
  if (whole < HOUR) return pair(whole, MINUTE, "min", SECOND, "s");
  if (whole < DAY) return pair(whole, HOUR, "h", MINUTE, "min");
  return pair(whole, DAY, "d", HOUR, "h");
}

function secondsOf(ms: number): string {
  // Never 60.0: what would be rounded up to a minute stays below it.
  return ms < 10 * SECOND ? (Math.floor(ms / 100) / 10).toFixed(1) : String(Math.floor(ms / SECOND));
}

function pair(
  ms: number,
  large: number,
  unit: DurationUnit,
  small: number,
  rest: DurationUnit,
): readonly { readonly n: string; readonly unit: DurationUnit }[] {
  const first = { n: String(Math.floor(ms / large)), unit };
  const second = Math.floor((ms % large) / small);
  return second === 0 ? [first] : [first, { n: String(second).padStart(2, "0"), unit: rest }];
}

/**
 * The largest part of a duration, for what changes while one looks: `3 min`. Hours and days are rounded to the nearest
 * whole: 2 days and 23 hours are 3 days, not 2. A day and a half begins to count in days.
 */
export function roughDuration(ms: number): { readonly n: number; readonly unit: DurationUnit } {
  const whole = Math.max(0, ms);
  if (whole < MINUTE) return { n: Math.floor(whole / SECOND), unit: "s" };
  if (whole < HOUR) return { n: Math.floor(whole / MINUTE), unit: "min" };
  if (whole < 1.5 * DAY) return { n: Math.round(whole / HOUR), unit: "h" };
  return { n: Math.round(whole / DAY), unit: "d" };
}

export function sizeIn(bytes: number): { readonly n: number; readonly unit: SizeUnit } {
  if (bytes < KIB) return { n: bytes, unit: "bytes" };
  if (bytes < KIB ** 2) return { n: bytes / KIB, unit: "kib" };
  if (bytes < KIB ** 3) return { n: bytes / KIB ** 2, unit: "mib" };
  return { n: bytes / KIB ** 3, unit: "gib" };
}

/** The formatters of one language and time zone. Making them is slow, so they are made once. */
export class Formats {
  readonly plural: Intl.PluralRules;
  readonly #whole: Intl.NumberFormat;
  readonly #decimal: Intl.NumberFormat;
  readonly #compact: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #instant: Intl.DateTimeFormat;
  readonly #clock: Intl.DateTimeFormat;
  readonly #minute: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #year: Intl.DateTimeFormat;
  readonly #dayOfYear: Intl.DateTimeFormat;

  constructor(language: Language, zone: string) {
    // English with 24 hours and the day before the month: nobody must guess what 03/04 means.
    const locale = language === "en" ? "en-GB" : "ru-RU";
    const timeZone = zone === "local" ? undefined : zone;
    const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone } as const;
    this.plural = new Intl.PluralRules(language);
    this.#whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
    this.#decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
    this.#compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
    this.#percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
    this.#clock = new Intl.DateTimeFormat(locale, clock);
    this.#minute = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone });
    this.#day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone });
    this.#year = new Intl.DateTimeFormat(locale, { year: "numeric", timeZone });
    this.#dayOfYear = new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone,
    });
    this.#instant = new Intl.DateTimeFormat(locale, {
      ...clock,
      year: "numeric",
      month: "short",
      day: "numeric",
      timeZoneName: "short",
    });
  }

  number(value: number): string {
    return this.#whole.format(value);
  }

  /** For the axis of a chart. */
  readonly axis = (value: number): string =>
    value >= 10_000 ? this.#compact.format(value) : this.decimal(value);

  decimal(value: number): string {
    return this.#decimal.format(value);
  }

  /** For tight places: `1.2M`. */
  compact(value: number): string {
    return value < 10_000 ? this.number(value) : this.#compact.format(value);
  }

  /** A share that is too small to be shown is still not none. */
  percent(share: number): string {
    return share > 0 && share < LEAST_SHARE / 2
      ? `<${this.#percent.format(LEAST_SHARE)}`
      : this.#percent.format(share);
  }

  /** Date, time and zone. */
  instant(at: number): string {
    return this.#instant.format(at);
  }

  /** Hours to seconds. */
  clock(at: number): string {
    return this.#clock.format(at);
  }

  /** Hours and minutes. */
  minute(at: number): string {
    return this.#minute.format(at);
  }

  day(at: number): string {
    return this.#day.format(at);
  }

  /** With the year, unless it is the present one. */
  dayFrom(at: number, now: number): string {
    const isThisYear = this.#year.format(at) === this.#year.format(now);
    return (isThisYear ? this.#day : this.#dayOfYear).format(at);
  }
}
