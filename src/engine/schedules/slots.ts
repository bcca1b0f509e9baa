import { nextRun } from "../../cron/next.js";
import { parseCron } from "../../cron/parse.js";
import { zone } from "../../cron/zone.js";
import type { Instant } from "../../core/job.js";
import { MAX_INSTANT } from "../../core/defaults.js";
import type { Timing } from "../../core/schedule.js";

/** First instant strictly after another one; `null` when there is none. */
type After = (instant: Instant) => Instant | null;

/**
 * The points in time at which a schedule runs. They depend on its timing alone, never on the clock or on
 * earlier runs, so every process finds the same ones.
 */
export class Slots {
  readonly #after: After;
  readonly #startAt: Instant | null;
  readonly #endAt: Instant;

  /** @throws CronError, UnknownZoneError */
  constructor({ cron, everyMs, timezone, startAt, endAt }: Timing) {
    this.#after = cron === null ? interval(everyMs ?? 0, startAt) : byCron(cron, timezone, startAt);
    this.#startAt = startAt;
    this.#endAt = endAt ?? MAX_INSTANT;
  }

  /** The first slot strictly after `instant`; `null` when the schedule has ended. */
  after(instant: Instant): Instant | null {
    const from = this.#startAt === null ? instant : Math.max(instant, this.#startAt - 1);
    const slot = this.#after(from);
    return slot === null || slot > this.#endAt ? null : slot;
  }

  /**
   * The latest slot from `from` to `until`, both included; `null` when there is none. By bisection: years
   * of seconds may lie between.
   */
  latest(from: Instant, until: Instant): Instant | null {
    let found = this.after(from - 1);
    if (found === null || found > until) return null;
    let last = until;
    while (found < last) {
      const middle: Instant = found + Math.ceil((last - found) / 2);
      const slot = this.after(middle - 1);
      if (slot !== null && slot <= until) found = slot;
      else last = middle - 1;
    }
    return found;
  }

  /** The latest `count` slots from `from` to `until`, oldest first. */
  latestMany(from: Instant, until: Instant, count: number): Instant[] {
    const slots: Instant[] = [];
    let last = this.latest(from, until);
    while (last !== null && slots.length < count) {
      slots.push(last);
      last = this.latest(from, last - 1);
    }
    return slots.reverse();
  }
}

/** Multiples of the interval, counted from `startAt`, or else from 1970: the same after every restart. */
function interval(everyMs: number, startAt: Instant | null): After {
  const anchor = startAt ?? 0;
  return (instant) => anchor + (Math.floor((instant - anchor) / everyMs) + 1) * everyMs;
}

function byCron(cron: string, timezone: string, startAt: Instant | null): After {
  const rule = parseCron(cron);
  if (rule.kind === "interval") return interval(rule.everyMs, startAt);
  const place = zone(timezone);
  return (instant) => nextRun(rule, place, instant);
}
