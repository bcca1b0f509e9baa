const HOUR = 3_600_000;

/** How far back charts may look. */
export const RANGES = {
  "1h": HOUR,
  "6h": 6 * HOUR,
  "24h": 24 * HOUR,
  "7d": 168 * HOUR,
  "30d": 720 * HOUR,
} as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];

const MINUTE = 60_000;

/** Where a range that ends now begins, on a whole minute: an hour is 60 of them, the one that has begun included. */
export function beginOf(range: RangeName, now: number): string {
  return new Date(Math.ceil(now / MINUTE) * MINUTE - RANGES[range]).toISOString();
}

export function rangeOf(text: string | null): RangeName {
  return RANGE_NAMES.find((name) => name === text) ?? "1h";
}

/** Series are read anew less often where a point is wide. */
export function refreshMsOf(range: RangeName): number {
  return range === "1h" ? 10_000 : 60_000;
}
