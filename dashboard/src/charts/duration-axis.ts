const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lengths of time that one writes on an axis. */
const ROUND = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 30].map((n) => n * MINUTE),
  ...[1, 2, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30].map((n) => n * DAY),
];

/** The fewer, where there is no room for all of them. */
const COARSE = [
  ...[1, 10, 100],
  ...[1, 10].map((n) => n * SECOND),
  ...[1, 10].map((n) => n * MINUTE),
  ...[1, 6].map((n) => n * HOUR),
  ...[1, 7, 30].map((n) => n * DAY),
];

/** The ends of a logarithmic axis of durations in milliseconds: round values around the lowest and the highest. */
export function durationRange(low: number | null, high: number | null): [number, number] {
  // Without values the axis is there all the same.
  if (low === null || high === null) return [1, SECOND];
  const start = ROUND.findLast((round) => round < low) ?? low / 2;
  const end = ROUND.find((round) => round > high) ?? high * 2;
  return [start, end];
}

/**
 * Where an axis is divided: round values between its ends, fewer where there is no room for all.
 * @param room how many there is room for
 */
export function durationTicks(start: number, end: number, room: number): number[] {
  const isWithin = (round: number): boolean => round >= start && round <= end;
  const all = ROUND.filter(isWithin);
  if (all.length <= room) return all;
  const fewer = COARSE.filter(isWithin);
  const step = Math.max(1, Math.ceil(fewer.length / Math.max(1, room)));
  return fewer.filter((_, index) => index % step === 0);
}
