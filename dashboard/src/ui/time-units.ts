/** In milliseconds. */
export const TIME_UNITS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export type TimeUnit = keyof typeof TIME_UNITS;

export const UNIT_NAMES = Object.keys(TIME_UNITS) as TimeUnit[];

/** A time as it is typed. */
export interface Span {
  readonly amount: string;
  readonly unit: TimeUnit;
}

/** In the largest unit that needs no fraction. */
export function spanOf(ms: number): Span {
  const unit = UNIT_NAMES.findLast((name) => ms % TIME_UNITS[name] === 0) ?? "s";
  return { amount: String(ms / TIME_UNITS[unit]), unit };
}

/** A number as it is typed; `NaN` when it is none. The comma of "1,500" may part thousands: that is none. */
export function amountOf(text: string): number {
  return Number(text.trim().replace(/^(\d+),(\d{1,2})$/, "$1.$2"));
}

/** `NaN` when the amount is no number. */
export function spanMs({ amount, unit }: Span): number {
  return Math.round(amountOf(amount) * TIME_UNITS[unit]);
}
