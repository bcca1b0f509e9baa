import { localAt, placeLocal } from "./local-time.js";
import { nextMatch } from "./next-match.js";
import type { CronRule } from "./rule.js";
import type { Shift, Zone } from "./zone.js";

const DAY_MS = 86_400_000;
/** Instants from here on have no four-digit year. */
const YEAR_10000 = Date.UTC(10_000, 0, 1);
/** The last changes that are listed one by one lie before it: from here on zones repeat every 400 years. */
const YEAR_2100 = Date.UTC(2_100, 0, 1);
const FOUR_CENTURIES_MS = 146_097 * DAY_MS;
const LARGEST_DATE_MS = 8.64e15;

/**
 * The first instant strictly after `after` at which the rule runs, on a whole second; `null` when there is
 * none before the year 10000. All instants are epoch milliseconds.
 *
 * When clocks go forward, a rule of fixed times runs once at the end of the gap for all its times in the gap,
 * but a date that is left out altogether has no run; a stepped rule has no runs in the gap. When clocks go
 * back, a rule of fixed times runs at the first of the two instants, and a stepped rule at both.
 *
 * @throws RangeError when `after` is no valid date
 */
export function nextRun(rule: CronRule, zone: Zone, after: number): number | null {
  const valid = Number.isFinite(after) && Math.abs(after) <= LARGEST_DATE_MS;
  if (!valid) throw new RangeError("after must be a valid date, in milliseconds since 1970");
  if (after >= YEAR_10000) return null;
  const next = rule.stepped ? nextStepped(rule, zone, after) : nextFixed(rule, zone, after);
  return next !== null && next < YEAR_10000 ? next : null;
}

function nextFixed(rule: CronRule, zone: Zone, after: number): number | null {
  let from = nextSecond(localAt(zone, after));
  for (;;) {
    const local = nextLocal(rule, from);
    if (local === null) return null;
    const place = placeLocal(zone, local);
    switch (place.kind) {
      case "once":
        return place.instant;
      case "gap":
        if (!dateIsMissing(local, place.shift)) return place.shift.at;
        from = place.shift.at + place.shift.after;
        break;
      case "twice":
        if (place.first > after) return place.first;
        // `after` lies in the second pass: its other times have run in the first.
        from = place.shift.at + place.shift.before;
    }
  }
}

function nextStepped(rule: CronRule, zone: Zone, after: number): number | null {
  const here = localAt(zone, after);
  const place = placeLocal(zone, here);
  let from = nextSecond(here);
  if (place.kind === "twice" && after < place.shift.at) {
    const local = nextLocal(rule, from);
    if (local !== null && local < place.shift.at + place.shift.before) return local - place.shift.before;
    // The rest of the first pass has no run; the second begins at an earlier local time.
    from = place.shift.at + place.shift.after;
  }
  // A rule may name only times that fall in the gap of every year: it never runs again.
  const horizon = Math.max(from, YEAR_2100) + FOUR_CENTURIES_MS;
  for (;;) {
    const local = nextLocal(rule, from);
    if (local === null || local > horizon) return null;
    const next = placeLocal(zone, local);
    switch (next.kind) {
      case "once":
        return next.instant;
      case "gap":
        from = next.shift.at + next.shift.after;
        break;
      case "twice":
        return next.first > after ? next.first : next.second;
    }
  }
}

/** `nextMatch` in milliseconds. */
function nextLocal(rule: CronRule, from: number): number | null {
  const second = nextMatch(rule, from / 1_000);
  return second === null ? null : second * 1_000;
}

/** The first whole second strictly after. */
function nextSecond(ms: number): number {
  return (Math.floor(ms / 1_000) + 1) * 1_000;
}

/** Whether the whole date of a local time in the gap is missing, as 2011-12-30 is in Samoa. */
function dateIsMissing(local: number, shift: Shift): boolean {
  const start = startOfDate(local);
  return shift.at + shift.before <= start && start + DAY_MS <= shift.at + shift.after;
}

function startOfDate(local: number): number {
  return Math.floor(local / DAY_MS) * DAY_MS;
}

/**
 * What a change of the clocks has to do with a run:
 *
 * - `after_gap`: it stands for a local time that does not exist that day, and runs at the gap's end instead,
 *   perhaps together with a time that the rule names there
 * - `repeated_hour`: its local time occurs twice
 */
export function describeShift(
  rule: CronRule,
  zone: Zone,
  instant: number,
): "after_gap" | "repeated_hour" | null {
  const shift = zone.shiftBetween(instant - 1, instant);
  if (shift !== null && shift.after > shift.before) return standsForGap(rule, shift) ? "after_gap" : null;
  return placeLocal(zone, localAt(zone, instant)).kind === "twice" ? "repeated_hour" : null;
}

function standsForGap(rule: CronRule, shift: Shift): boolean {
  if (rule.stepped) return false;
  const end = shift.at + shift.after;
  let from = shift.at + shift.before;
  for (;;) {
    const local = nextLocal(rule, from);
    if (local === null || local >= end) return false;
    if (!dateIsMissing(local, shift)) return true;
    from = startOfDate(local) + DAY_MS;
  }
}
