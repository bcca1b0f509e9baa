import { MAX_INSTANT } from "./defaults.js";
import type { Instant } from "./job.js";

/** What a caller may give as a point in time: a Date, epoch milliseconds, or RFC 3339 text with an offset. */
export type InstantInput = Date | number | string;

/** Numbers below this are taken for seconds given by mistake: as milliseconds they lie in 1970. */
const SMALLEST_EPOCH_MS = Date.UTC(2000, 0, 1);

/** Text that says its offset: without one the same text means another instant on every machine. */
export const RFC3339_PATTERN =
  "^\\d{4}-\\d{2}-\\d{2}[Tt](?:[01]\\d|2[0-3]):\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$";
const rfc3339 = new RegExp(RFC3339_PATTERN);

/** Epoch milliseconds, or what is wrong with the input. */
export function parseInstant(input: InstantInput): Instant | { readonly problem: string } {
  if (typeof input === "string") {
    if (!rfc3339.test(input)) {
      return { problem: "must be RFC 3339 with an offset, such as 2026-01-05T09:00:00.000Z" };
    }
    if (!dayExists(input)) return { problem: "names a day that its month does not have" };
    return checkRange(Date.parse(input));
  }
  if (input instanceof Date) return checkRange(input.getTime());
  if (typeof input === "number" && Math.abs(input) < SMALLEST_EPOCH_MS) {
    return { problem: "must be milliseconds since 1970, not seconds" };
  }
  return checkRange(input);
}

/** `Date` takes 30 February for 2 March. */
function dayExists(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

function checkRange(ms: number): Instant | { readonly problem: string } {
  if (!Number.isFinite(ms)) return { problem: "is not a valid instant" };
  if (ms > MAX_INSTANT || ms < SMALLEST_EPOCH_MS) {
    return { problem: "must lie between 2000-01-01 and 9999-12-31" };
  }
  return Math.round(ms);
}

export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}
