import type { PreviewView, ScheduleDetailView, ScheduleRunView, ScheduleView } from "../../api/schedule.js";
import { formatInstant } from "../../core/instant.js";
import { parseKeys } from "../../core/job-keys.js";
import type { Schedule, ScheduleRun } from "../../core/schedule.js";
import type { Preview } from "../../engine/schedules/preview.js";
import { instantOrNull } from "./job.js";

export function scheduleView(schedule: Schedule): ScheduleView {
  const { job } = schedule;
  return {
    key: schedule.key,
    source: schedule.source,
    cron: schedule.cron,
    everyMs: schedule.everyMs,
    timezone: schedule.timezone,
    job: {
      queue: job.queue,
      name: job.name,
      priority: job.priority,
      maxAttempts: job.maxAttempts,
      backoff: job.backoff,
      timeoutMs: job.timeoutMs,
      tags: [...job.tags],
      unique: job.unique === null ? null : { ...job.unique, states: [...job.unique.states] },
      expiresInMs: job.expiresInMs,
      ...parseKeys(job.keys),
    },
    missed: schedule.missed,
    maxMissed: schedule.maxMissed,
    overlap: schedule.overlap,
    startAt: instantOrNull(schedule.startAt),
    endAt: instantOrNull(schedule.endAt),
    jitterMs: schedule.jitterMs,
    nextRunAt: schedule.pausedAt === null ? instantOrNull(schedule.next?.slot ?? null) : null,
    waitingSlot: instantOrNull(schedule.waitingSlot),
    pausedAt: instantOrNull(schedule.pausedAt),
    pauseReason: schedule.pauseReason,
    problem: schedule.problem,
    createdAt: formatInstant(schedule.createdAt),
    updatedAt: formatInstant(schedule.updatedAt),
    version: schedule.version,
    totals: { ...schedule.totals },
  };
}

/** As JSON text: the payload goes in as the text that is stored, as parsing and writing it again could change it. */
export function scheduleDetailText(schedule: Schedule, preview: Preview): string {
  const view: Omit<ScheduleDetailView, "payload"> = { ...scheduleView(schedule), ...previewView(preview) };
  return `${JSON.stringify(view).slice(0, -1)},"payload":${schedule.job.payload}}`;
}

export function previewView({ next, notes }: Preview): PreviewView {
  return {
    next: next.map(formatInstant),
    notes: notes.map(({ at, shift, text }) => ({ at: formatInstant(at), shift, text })),
  };
}

export function scheduleRunView(run: ScheduleRun): ScheduleRunView {
  return {
    slot: formatInstant(run.slot),
    through: formatInstant(run.through),
    manual: run.manual,
    firedAt: formatInstant(run.firedAt),
    outcome: run.outcome,
    jobId: run.jobId,
    jobState: run.jobState,
  };
}
