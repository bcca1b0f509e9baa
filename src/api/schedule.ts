import { Type, type Static } from "typebox";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import {
  MAX_EVERY_MS,
  MAX_JITTER_MS,
  MAX_MAX_ATTEMPTS,
  MAX_MAX_MISSED,
  MAX_PRIORITY,
  MAX_TAGS,
  MIN_EVERY_MS,
} from "../core/defaults.js";
import { MISSED_POLICIES, OVERLAP_POLICIES } from "../core/schedule.js";
import { CLOSED, Instant, InstantInput, Key, Limit, Name, Nullable, Tag } from "./fields.js";
import { JobState } from "./job.js";
import { Backoff, ExpiresInMs, UniqueBody, UniqueView } from "./job-request.js";

const Missed = Type.Enum([...MISSED_POLICIES]);
const Overlap = Type.Enum([...OVERLAP_POLICIES]);

const ScheduledJob = Type.Object(
  {
    name: Name,
    payload: Type.Optional(Type.Unknown()),
    queue: Type.Optional(Name),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRIORITY })),
    maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAX_ATTEMPTS })),
    backoff: Type.Optional(Backoff),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BACKOFF_MS })),
    tags: Type.Optional(Type.Array(Tag, { maxItems: MAX_TAGS })),
    unique: Type.Optional(UniqueBody),
    expiresInMs: Type.Optional(ExpiresInMs),
    concurrencyKey: Type.Optional(Key),
    rateKey: Type.Optional(Key),
    // Known so that the engine, which always refuses them, can say why.
    delayMs: Type.Optional(Type.Unknown()),
    runAt: Type.Optional(Type.Unknown()),
    idempotencyKey: Type.Optional(Type.Unknown()),
    expiresAt: Type.Optional(Type.Unknown()),
  },
  CLOSED,
);

/** `engine/schedules/request.ts` is the authority on the rules and adds the ones that a schema cannot say. */
export const ScheduleBody = Type.Object(
  {
    cron: Type.Optional(Type.String()),
    everyMs: Type.Optional(Type.Integer({ minimum: MIN_EVERY_MS, maximum: MAX_EVERY_MS })),
    timezone: Type.Optional(Type.String()),
    job: ScheduledJob,
    missed: Type.Optional(Missed),
    maxMissed: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAX_MISSED })),
    overlap: Type.Optional(Overlap),
    startAt: Type.Optional(InstantInput),
    endAt: Type.Optional(InstantInput),
    jitterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_JITTER_MS })),
  },
  CLOSED,
);

export type ScheduleBody = Static<typeof ScheduleBody>;

export const ScheduleParams = Type.Object({ key: Name });

export const DEFAULT_SCHEDULE_PAGE = 100;
export const SchedulePageQuery = Type.Object(
  { limit: Type.Optional(Limit(500)), cursor: Type.Optional(Type.String()) },
  CLOSED,
);

export const ScheduleListQuery = Type.Object(
  {
    ...SchedulePageQuery.properties,
    /** Latest entries of each history that are wanted. Default: none. */
    runs: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 })),
  },
  CLOSED,
);

/** How many of the next runs are shown when nobody asks for another number. */
export const DEFAULT_PREVIEW = 20;
export const PreviewBody = Type.Object(
  {
    cron: Type.String(),
    timezone: Type.Optional(Type.String()),
    /** Default: now. */
    after: Type.Optional(InstantInput),
    count: Type.Optional(Limit(100)),
  },
  CLOSED,
);

const ShiftNoteView = Type.Object(
  { at: Instant, shift: Type.Enum(["after_gap", "repeated_hour"]), text: Type.String() },
  { title: "ClockChangeNote" },
);

export const PreviewView = Type.Object({ next: Type.Array(Instant), notes: Type.Array(ShiftNoteView) });
export type PreviewView = Static<typeof PreviewView>;

const scheduleFields = {
  key: Type.String(),
  source: Type.Enum(["api", "code"]),
  cron: Nullable.Text,
  everyMs: Nullable.WholeNumber,
  timezone: Type.String(),
  job: Type.Object({
    queue: Type.String(),
    name: Type.String(),
    priority: Type.Integer(),
    maxAttempts: Type.Integer(),
    backoff: Type.Union([Backoff, Type.Null()]),
    timeoutMs: Nullable.WholeNumber,
    tags: Type.Array(Type.String()),
    unique: Type.Union([UniqueView, Type.Null()]),
    expiresInMs: Nullable.WholeNumber,
    concurrencyKey: Nullable.Text,
    rateKey: Nullable.Text,
  }),
  missed: Missed,
  maxMissed: Type.Integer(),
  overlap: Overlap,
  startAt: Nullable.Instant,
  endAt: Nullable.Instant,
  jitterMs: Type.Integer(),
  /** The next slot; `null` while paused, and when none is left. */
  nextRunAt: Nullable.Instant,
  waitingSlot: Nullable.Instant,
  pausedAt: Nullable.Instant,
  pauseReason: Nullable.Text,
  problem: Nullable.Text,
  createdAt: Instant,
  updatedAt: Instant,
  version: Type.Integer(),
  totals: Type.Object({ enqueued: Type.Integer(), skipped: Type.Integer(), missed: Type.Integer() }),
};

export const ScheduleView = Type.Object(scheduleFields, { title: "Schedule" });
export type ScheduleView = Static<typeof ScheduleView>;

export const ScheduleDetailView = Type.Object(
  {
    ...scheduleFields,
    payload: Type.Unknown(),
    next: Type.Array(Instant),
    notes: Type.Array(ShiftNoteView),
  },
  { title: "ScheduleDetail" },
);
export type ScheduleDetailView = Static<typeof ScheduleDetailView>;

export const ScheduleRunView = Type.Object(
  {
    slot: Instant,
    /** The last of several missed slots. */
    through: Instant,
    manual: Type.Boolean(),
    firedAt: Instant,
    outcome: Type.Enum(["enqueued", "waiting", "skipped", "missed"]),
    jobId: Nullable.Text,
    /** `null`: there is no job, or it has been removed. */
    jobState: Type.Union([JobState, Type.Null()]),
  },
  { title: "ScheduleRun" },
);
export type ScheduleRunView = Static<typeof ScheduleRunView>;

const ScheduleItemView = Type.Object(
  {
    ...scheduleFields,
    /** The latest entries of its history, newest first. Only when the query has `runs`. */
    runs: Type.Optional(Type.Array(ScheduleRunView)),
  },
  { title: "ScheduleItem" },
);
export type ScheduleItemView = Static<typeof ScheduleItemView>;

export const SchedulePageView = Type.Object({
  items: Type.Array(ScheduleItemView),
  nextCursor: Nullable.Text,
});
export const ScheduleRunPageView = Type.Object({
  items: Type.Array(ScheduleRunView),
  nextCursor: Nullable.Text,
});
