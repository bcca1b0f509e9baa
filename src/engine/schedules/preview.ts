import type { Fault } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import type { Schedule, Timing } from "../../core/schedule.js";
import { CronError } from "../../cron/cron-error.js";
import { describeShift } from "../../cron/next.js";
import { parseCron } from "../../cron/parse.js";
import { UnknownZoneError, zone } from "../../cron/zone.js";
import { checkTimezone, cronFault } from "./request.js";
import { Slots } from "./slots.js";

/** What a person may be surprised by: the clocks change around this run. */
export interface ShiftNote {
  readonly at: Instant;
  /** `after_gap`: its local time does not exist that day. `repeated_hour`: its hour comes twice. */
  readonly shift: "after_gap" | "repeated_hour";
  readonly text: string;
}

export interface Preview {
  readonly next: readonly Instant[];
  readonly notes: readonly ShiftNote[];
}

/** The first `count` slots strictly after `after`. */
function previewOf(timing: Timing, after: Instant, count: number): Preview {
  const slots = new Slots(timing);
  const next: Instant[] = [];
  for (let slot = slots.after(after); slot !== null && next.length < count; slot = slots.after(slot)) {
    next.push(slot);
  }
  return { next, notes: notesOn(timing, next) };
}

/**
 * The first `count` slots of a stored schedule strictly after `after`; none when it is not understood here. The
 * program that wrote it may have known more: time zones come and go with the version of Node.
 */
export function upcomingRuns(schedule: Schedule, after: Instant, count: number): Preview {
  try {
    return previewOf(schedule, after, count);
  } catch (error) {
    if (error instanceof CronError || error instanceof UnknownZoneError) return NOTHING;
    throw error;
  }
}

const NOTHING: Preview = { next: [], notes: [] };

/** @throws KonveierError `validation_failed` */
export function preview(cron: string, timezone: string | undefined, after: Instant, count: number): Preview {
  const faults: Fault[] = [];
  const name = checkTimezone(timezone, faults);
  const fault = cronFault(cron);
  if (fault !== null) faults.push(fault);
  if (faults.length > 0) throw validationError(faults);
  return previewOf({ cron, everyMs: null, timezone: name, startAt: null, endAt: null }, after, count);
}

function notesOn({ cron, timezone }: Timing, slots: readonly Instant[]): ShiftNote[] {
  if (cron === null) return [];
  const rule = parseCron(cron);
  if (rule.kind === "interval") return [];
  const place = zone(timezone);
  return slots.flatMap((at) => {
    const shift = describeShift(rule, place, at);
    return shift === null ? [] : [{ at, shift, text: SHIFT_TEXTS[shift] }];
  });
}

const SHIFT_TEXTS = {
  after_gap:
    "The clocks go forward and skip the time of this run: it runs once, as soon as the skipped time is over.",
  repeated_hour:
    "The clocks go back and this time of day comes twice: a fixed time runs at the first, a wildcard or step at both.",
} as const;
