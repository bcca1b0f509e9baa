import { CronError } from "./cron-error.js";
import type { IntervalRule } from "./rule.js";

const SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;
const LONGEST_S = 366 * SECONDS.d;
/** Each unit at most once, the large ones first. Eight digits hold the longest interval in seconds. */
const DURATION = /^(?:(\d{1,8})d)?(?:(\d{1,8})h)?(?:(\d{1,8})m)?(?:(\d{1,8})s)?$/;

/**
 * The rule of `@every 1h30m`.
 *
 * @param position where the duration begins in the expression, from 1
 * @throws CronError
 */
export function parseEvery(duration: string, position: number): IntervalRule {
  const parts = DURATION.exec(duration);
  if (parts === null || duration === "") {
    throw new CronError(
      null,
      position,
      "@every needs one duration of whole d, h, m and s in this order, without spaces; write @every 1h30m",
    );
  }
  const [, days = 0, hours = 0, minutes = 0, rest = 0] = parts;
  const seconds =
    Number(days) * SECONDS.d + Number(hours) * SECONDS.h + Number(minutes) * SECONDS.m + Number(rest);
  if (seconds < 1 || seconds > LONGEST_S) {
    throw new CronError(null, position, "the interval is out of range; write 1s to 366d");
  }
  return Object.freeze({ kind: "interval", everyMs: seconds * 1_000 });
}
