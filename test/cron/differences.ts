import { changesBetween, shownAt } from "./local-clock.js";
import { eitherDayMatches, matches, matchesTime, type Model } from "./model.js";
import type { Oracle } from "./oracles.js";
import { verdictOn } from "./verdict.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** One question to both, and two different answers. */
export interface Difference {
  readonly model: Model;
  readonly zone: string;
  readonly after: number;
  readonly ours: number | null;
  readonly theirs: number | null;
}

/**
 * Why the answers differ, or `null` for a difference that no rule explains. The earlier answer decides: it
 * is a run that the oracle left out, or one that it has and we have not. Whether it is a run by our rules is
 * decided without our code.
 */
export function reasonOf(difference: Difference, oracle: Oracle): string | null {
  const { model, zone, ours, theirs } = difference;
  const weAreEarlier = theirs === null || (ours !== null && ours < theirs);
  const earlier = weAreEarlier ? ours! : theirs;
  const verdict = verdictOn(model, zone, earlier);
  if (verdict.runs !== weAreEarlier) return null;
  if (verdict.because === "only one of the two days matches where both must") {
    return "star rule: a field such as */2 counts as unrestricted here, and both days must match";
  }
  if (oracle.name === "croner") {
    const moved = verdict.because === "it ends a gap with times of the rule";
    return moved && endsAtMidnight(zone, earlier)
      ? "gap up to midnight: croner moves a time only within its own date"
      : null;
  }
  return weAreEarlier
    ? missedByCronParser(difference, earlier, verdict.because)
    : addedByCronParser(difference, earlier, verdict.because);
}

/** cron-parser 5.10.6 treats all rules alike when the clocks change, and has faults there. */
function missedByCronParser(
  { zone, after, theirs }: Difference,
  run: number,
  because: string,
): string | null {
  if (because === "its local time occurs twice, this is the second") {
    return "overlap: cron-parser leaves out the second pass of a rule with hours, stepped or not";
  }
  if (because === "its local time occurs twice, this is the first" && theirs !== null) {
    const isSecond = shownAt(zone, theirs) === shownAt(zone, run);
    return isSecond ? "overlap: cron-parser enters a date that begins twice at its second beginning" : null;
  }
  if (because === "it ends a gap with times of the rule") return NAMED_MINUTE;
  if (because !== "its local time occurs once") return null;
  const changes = changesBetween(zone, (theirs === null ? after : run) - DAY, run + DAY);
  if (changes.some((change) => endsAtMidnight(zone, change))) {
    return "gap up to midnight: cron-parser leaves out the date before";
  }
  if (!changes.some((change) => isUneven(zone, change))) return null;
  return theirs === null
    ? "uneven change: cron-parser does not get past it and gives up"
    : "uneven change: cron-parser leaves out runs of that date";
}

function addedByCronParser({ model, zone, after }: Difference, run: number, because: string): string | null {
  if (because === "it ends a gap that a stepped rule skips") return NAMED_MINUTE;
  if (because === "its local time occurs twice, this is the second") {
    const sameHour = run - after < HOUR;
    return sameHour ? "overlap: cron-parser runs again when asked within the second pass" : null;
  }
  if (because !== "nothing names it") return null;
  const local = shownAt(zone, run);
  const gap = changesBetween(zone, run - HOUR, run + 1).find((change) => shiftAt(zone, change) > 0);
  if (gap !== undefined) {
    for (let hour = shownAt(zone, gap) - shiftAt(zone, gap); hour < local; hour += HOUR) {
      const named = hour - (hour % HOUR) + (local % HOUR);
      if (matches(model, named)) return NAMED_MINUTE;
      if (matchesTime(model, named) && (eitherDayMatches(model, named) || isOpenStepsSunday(model, named))) {
        return "gap, and its way with the two days or with an open step as well";
      }
    }
  }
  if (matchesTime(model, local) && isOpenStepsSunday(model, local)) {
    return "open step of weekdays: it ends on Saturday here, on a Sunday counted as 7 in cron-parser";
  }
  return null;
}

function isOpenStepsSunday(model: Model, local: number): boolean {
  const weekDay = model.text.split(" ").at(-1)!;
  return new Date(local).getUTCDay() === 0 && /(^|,)\w+\/\d+/.test(weekDay);
}

const NAMED_MINUTE = "gap: cron-parser runs every rule in the hour after the gap, at the minutes it names";

/** How far the clocks go forward at a change, in milliseconds. */
function shiftAt(zone: string, change: number): number {
  return shownAt(zone, change) - shownAt(zone, change - MINUTE) - MINUTE;
}

function endsAtMidnight(zone: string, change: number): boolean {
  return shiftAt(zone, change) > 0 && shownAt(zone, change) % DAY === 0;
}

/** Whether the clocks change by a part of an hour, or at another time than a whole hour. */
function isUneven(zone: string, change: number): boolean {
  return shiftAt(zone, change) % HOUR !== 0 || shownAt(zone, change) % HOUR !== 0;
}
