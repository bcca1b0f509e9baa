import type { Static } from "typebox";
import type { PreviewView, ScheduleDetailView, ScheduleView } from "../../api/schedule.js";
import type { ListView, ThingView } from "../output/output.js";
import { exactDuration, instantText, relativeOr } from "../output/time-text.js";

export function scheduleList(now: number): ListView<ScheduleView> {
  return {
    id: ({ key }) => key,
    empty: "There are no schedules.",
    columns: [
      { title: "KEY", text: ({ key }) => key, least: 10 },
      { title: "RULE", text: ruleOf, least: 8 },
      { title: "TIME ZONE", text: ({ timezone }) => timezone, least: 9 },
      { title: "JOB", text: ({ job }) => job.name, least: 8 },
      { title: "QUEUE", text: ({ job }) => job.queue, least: 7 },
      { title: "NEXT", text: (schedule) => nextOf(schedule, now), least: 8 },
    ],
  };
}

function ruleOf({ cron, everyMs }: ScheduleView): string {
  return cron ?? `every ${exactDuration(everyMs ?? 0)}`;
}

function nextOf({ pausedAt, problem, nextRunAt }: ScheduleView, now: number): string {
  if (problem !== null) return `stopped: ${problem}`;
  return pausedAt === null ? relativeOr("never", nextRunAt, now) : "paused";
}

export function scheduleDetail(
  now: number,
): ThingView<ScheduleView & Partial<Pick<ScheduleDetailView, "payload" | "next" | "notes">>> {
  return {
    id: ({ key }) => key,
    fields: ({ job, payload, next = [], notes = [], totals, ...schedule }) => [
      ["key", schedule.key],
      ["rule", ruleOf({ job, totals, ...schedule })],
      ["time zone", schedule.timezone],
      ["job", `${job.name} in ${job.queue}`],
      ["payload", payload === undefined ? null : JSON.stringify(payload)],
      ["missed", schedule.missed],
      ["overlap", schedule.overlap],
      ["starts", instantText(schedule.startAt, now)],
      ["ends", instantText(schedule.endAt, now)],
      ["jitter", schedule.jitterMs === 0 ? null : exactDuration(schedule.jitterMs)],
      ["made by", schedule.source],
      ["runs", `${totals.enqueued} enqueued, ${totals.skipped} skipped, ${totals.missed} missed`],
      ["paused", instantText(schedule.pausedAt, now)],
      ["pause reason", schedule.pauseReason],
      ["problem", schedule.problem],
      ["next", instantText(schedule.nextRunAt, now)],
      ...next.slice(1, 5).map((at) => ["", instantText(at, now)] as const),
      ...notes.map(({ at, text }) => ["note", `${at}: ${text}`] as const),
    ],
  };
}

type Preview = Static<typeof PreviewView>;
interface Slot {
  readonly at: string;
  readonly note: string | null;
}

/** One line for each slot, with what is special about it. */
export function slotsOf({ next, notes }: Preview): readonly Slot[] {
  return next.map((at) => ({ at, note: notes.find((note) => note.at === at)?.text ?? null }));
}

export function slotList(now: number): ListView<Slot> {
  return {
    id: ({ at }) => at,
    empty: "It never fires.",
    columns: [
      { title: "AT", text: ({ at }) => at },
      { title: "", text: ({ at }) => relativeOr("", at, now), align: "right" },
      { title: "NOTE", text: ({ note }) => note ?? "", least: 12 },
    ],
  };
}

/** What `schedules apply` and `delete` did to each. */
export const appliedList: ListView<{ readonly key: string; readonly action: "written" | "deleted" }> = {
  id: ({ key }) => key,
  empty: "The file holds no schedules.",
  columns: [
    { title: "KEY", text: ({ key }) => key, least: 10 },
    { title: "ACTION", text: ({ action }) => action },
  ],
};
