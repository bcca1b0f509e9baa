import type { ScheduleView } from "../../api/types.js";
import type { Texts } from "../../i18n/text.js";
import { zoneTime, type ZoneTime } from "../../i18n/zone-time.js";

export interface ZonedTexts {
  /** By the clocks of the schedule's zone; of the reader's, where the browser does not know that zone. */
  readonly there: string;
  /** By the reader's clocks; `null` where they show the same. */
  readonly here: string | null;
}

export type TimeForm = "full" | "brief";

/** Within that, a date without its year is only one. */
const NEAR_MS = 300 * 86_400_000;

/** How to write a time in a list: without the year, where it goes without saying. */
export function listForm(at: string, now: number): TimeForm {
  return Math.abs(Date.parse(at) - now) < NEAR_MS ? "brief" : "full";
}

/** What the clocks of a schedule and those of the reader show at a point in time. */
export function zonedTexts(
  at: string,
  zone: string,
  { language, zone: ownZone }: Texts,
  form: TimeForm = "full",
): ZonedTexts {
  const instant = Date.parse(at);
  const own = zoneTime(language, ownZone) ?? utc(language);
  const other = zoneTime(language, zone) ?? own;
  return {
    there: other[form](instant),
    here: other.wall(instant) === own.wall(instant) ? null : own[form](instant),
  };
}

function utc(language: Texts["language"]): ZoneTime {
  const time = zoneTime(language, "UTC");
  if (time === null) throw new Error("This browser has no UTC");
  return time;
}

/** The next run by the schedule's clocks; `null` when none is planned. */
export function nextText(
  { nextRunAt, timezone }: Pick<ScheduleView, "nextRunAt" | "timezone">,
  texts: Texts,
): string | null {
  return nextRunAt === null ? null : zonedTexts(nextRunAt, timezone, texts).there;
}
