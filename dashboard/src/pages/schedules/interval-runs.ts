/**
 * The first runs of an interval after a point in time: multiples of it, counted from the start or else from 1970, as
 * the server counts them. None when it is no interval, or when `endAt` has passed.
 */
export function intervalRuns(
  everyMs: number,
  { startAt, endAt }: { readonly startAt: number | null; readonly endAt: number | null },
  after: number,
  count: number,
): readonly number[] {
  if (!Number.isSafeInteger(everyMs) || everyMs < 1_000) return [];
  const anchor = startAt ?? 0;
  const from = startAt === null ? after : Math.max(after, startAt - 1);
  const first = anchor + (Math.floor((from - anchor) / everyMs) + 1) * everyMs;
  const runs = Array.from({ length: count }, (_, index) => first + index * everyMs);
  return endAt === null ? runs : runs.filter((run) => run <= endAt);
}
