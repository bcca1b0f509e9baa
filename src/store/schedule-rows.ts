import type { JobState } from "../core/states.js";
import type {
  JobTemplate,
  MissedPolicy,
  OverlapPolicy,
  Schedule,
  ScheduleDefinition,
  ScheduleRun,
  ScheduleRunOutcome,
  ScheduleSource,
} from "../core/schedule.js";

/** A row of `schedules`. */
export interface ScheduleRow {
  readonly key: string;
  readonly source: ScheduleSource;
  readonly cron: string | null;
  readonly every_ms: number | null;
  readonly timezone: string;
  readonly start_at: number | null;
  readonly end_at: number | null;
  readonly job: string;
  readonly payload: string;
  readonly missed: MissedPolicy;
  readonly max_missed: number;
  readonly overlap: OverlapPolicy;
  readonly jitter_ms: number;
  readonly next_slot: number | null;
  readonly next_at: number | null;
  readonly last_slot: number | null;
  readonly waiting_slot: number | null;
  readonly paused_at: number | null;
  readonly pause_reason: string | null;
  readonly problem: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
  readonly enqueued: number;
  readonly skipped: number;
  readonly missed_count: number;
  /** Number of the latest entry of its history. */
  readonly last_seq: number;
}

/** A row of `schedule_runs` with the state of its job. */
export interface ScheduleRunRow {
  readonly seq: number;
  readonly slot: number;
  readonly through: number;
  readonly manual: number;
  readonly fired_at: number;
  readonly outcome: ScheduleRunOutcome;
  readonly job_id: number | null;
  readonly state: JobState | null;
}

export function toSchedule(row: ScheduleRow): Schedule {
  return {
    key: row.key,
    source: row.source,
    cron: row.cron,
    everyMs: row.every_ms,
    timezone: row.timezone,
    startAt: row.start_at,
    endAt: row.end_at,
    job: { ...toTemplate(row.job), payload: row.payload },
    missed: row.missed,
    maxMissed: row.max_missed,
    overlap: row.overlap,
    jitterMs: row.jitter_ms,
    next: row.next_slot === null || row.next_at === null ? null : { slot: row.next_slot, at: row.next_at },
    lastSlot: row.last_slot,
    waitingSlot: row.waiting_slot,
    pausedAt: row.paused_at,
    pauseReason: row.pause_reason,
    problem: row.problem,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    totals: { enqueued: row.enqueued, skipped: row.skipped, missed: row.missed_count },
  };
}

/** Rows of older versions do not say everything. */
function toTemplate(text: string): Omit<JobTemplate, "payload"> {
  const added = { unique: null, expiresInMs: null, keys: null };
  return { ...added, ...(JSON.parse(text) as Omit<JobTemplate, "payload" | keyof typeof added>) };
}

/** The queue of its jobs. */
export function queueOfRow(row: Pick<ScheduleRow, "job">): string {
  return (JSON.parse(row.job) as JobTemplate).queue;
}

/** A definition as it is written. */
export function columnsOf({ job: { payload, ...job }, ...definition }: ScheduleDefinition) {
  return {
    cron: definition.cron,
    everyMs: definition.everyMs,
    timezone: definition.timezone,
    startAt: definition.startAt,
    endAt: definition.endAt,
    job: JSON.stringify(job),
    payload,
    missed: definition.missed,
    maxMissed: definition.maxMissed,
    overlap: definition.overlap,
    jitterMs: definition.jitterMs,
  };
}

export function toScheduleRun(row: ScheduleRunRow): ScheduleRun {
  return {
    seq: row.seq,
    slot: row.slot,
    through: row.through,
    manual: row.manual === 1,
    firedAt: row.fired_at,
    outcome: row.outcome,
    jobId: row.job_id === null ? null : String(row.job_id),
    jobState: row.state,
  };
}
