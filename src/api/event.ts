import { Type, type Static } from "typebox";
import { EVENT_TYPES, SCHEDULE_ACTIONS } from "../core/journal.js";
import { TRANSITIONS, type TransitionName } from "../core/states.js";
import { CLOSED, Instant, JobId, JobIdInput, Limit, Name, Nullable } from "./fields.js";
import { JobDetailView, JobState } from "./job.js";

/** Jobs that one stream may be limited to. */
const MAX_JOBS = 50;
const MAX_QUEUES = 100;
export const DEFAULT_EVENT_PAGE = 500;
const MAX_EVENT_PAGE = 1_000;

/** Lists are given as `a,b`, by repeating the parameter, or both. */
export const EventQuery = Type.Object(
  {
    topics: Type.Optional(Type.Array(Type.Enum([...EVENT_TYPES]), { minItems: 1, maxItems: 20 })),
    queue: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: MAX_QUEUES })),
    job: Type.Optional(Type.Array(JobIdInput, { minItems: 1, maxItems: MAX_JOBS })),
    state: Type.Optional(Type.Array(JobState, { minItems: 1, maxItems: 20 })),
    /** Id of the last event that is known. Text, because whatever is no id is answered as an unknown one. */
    after: Type.Optional(Type.String({ maxLength: 64 })),
    limit: Type.Optional(Limit(MAX_EVENT_PAGE)),
  },
  CLOSED,
);
export type EventQuery = Static<typeof EventQuery>;

/** In every event. */
const place = { seq: Type.Integer(), at: Instant };

const NullableState = Type.Union([JobState, Type.Null()]);

export const EventView = Type.Union([
  Type.Object({
    ...place,
    type: Type.Literal("job"),
    id: JobId,
    queue: Type.String(),
    name: Type.String(),
    transition: Type.Enum([...(Object.keys(TRANSITIONS) as TransitionName[]), "enqueue", "delete"]),
    /** `null`: the job is new. */
    from: NullableState,
    /** `null`: the job is gone. */
    to: NullableState,
    /** Attempts that are counted after the change. */
    attempt: Type.Integer(),
  }),
  Type.Object({
    ...place,
    type: Type.Literal("queue"),
    name: Type.String(),
    action: Type.Enum(["paused", "resumed", "edited"]),
  }),
  Type.Object({
    ...place,
    type: Type.Literal("schedule"),
    key: Type.String(),
    /** Of its jobs. */
    queue: Type.String(),
    action: Type.Enum([...SCHEDULE_ACTIONS]),
    slot: Nullable.Instant,
    jobId: Nullable.Text,
  }),
  Type.Object({
    ...place,
    type: Type.Literal("operation"),
    id: Type.String(),
    action: Type.Enum(["started", "progressed", "completed", "cancelled"]),
    /** Jobs that it has changed so far. */
    changed: Type.Integer(),
  }),
]);
export type EventView = Static<typeof EventView>;

/** A page of events, for clients that cannot read a stream. */
export const EventPageView = Type.Object({
  items: Type.Array(EventView),
  /** `after` of the next request. */
  lastId: Type.Integer(),
  /** Whether there is more already. */
  more: Type.Boolean(),
  /** Why there is nothing after the id that was asked for; the client has to look at everything anew. */
  reset: Type.Union([Type.Enum(["history_gap", "unknown_id"]), Type.Null()]),
});
export type EventPageView = Static<typeof EventPageView>;

/** Longest wait for a job to finish. */
const MAX_RESULT_WAIT_MS = 60_000;
export const DEFAULT_RESULT_WAIT_MS = 25_000;

export const WaitQuery = Type.Object(
  { timeoutMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_RESULT_WAIT_MS })) },
  CLOSED,
);

export const WaitView = Type.Object({
  ...JobDetailView.properties,
  /** Whether the job is completed, dead or cancelled. */
  finished: Type.Boolean(),
  /** What its handler returned; `null` when there is nothing. */
  result: Type.Unknown(),
});
export type WaitView = Static<typeof WaitView>;
