import { Type, type Static } from "typebox";
import { MAX_QUEUE_LENGTH } from "../core/defaults.js";
import { ON_FULL } from "../core/queue-limits.js";
import { JOB_STATES, type JobState } from "../core/states.js";
import { CLOSED, Instant, Name, Nullable } from "./fields.js";

const StateCounts = Type.Object(
  Object.fromEntries(JOB_STATES.map((state) => [state, Type.Integer()])) as Record<
    JobState,
    ReturnType<typeof Type.Integer>
  >,
);

const queueFields = {
  name: Type.String(),
  pausedAt: Nullable.Instant,
  pauseReason: Nullable.Text,
  /** Blocked, scheduled and pending jobs that it may hold; `null`: any number. */
  maxLength: Nullable.WholeNumber,
  /** What a new job of a full queue meets: it is refused, or takes the place of the oldest pending one. */
  onFull: Type.Enum([...ON_FULL]),
  counts: StateCounts,
  /** `runAt` of the job that has been claimable longest. */
  oldestPendingAt: Type.Union([Instant, Type.Null()]),
  /** Grows with each edit; also the ETag of the queue. */
  version: Type.Integer(),
};

export const QueueView = Type.Object(queueFields, { title: "Queue" });
export type QueueView = Static<typeof QueueView>;

export const QueueDetailView = Type.Object(
  {
    ...queueFields,
    /** Names with pending jobs that no live worker serves. */
    unhandled: Type.Array(Type.Object({ name: Type.String(), pending: Type.Integer() })),
  },
  { title: "QueueDetail" },
);
export type QueueDetailView = Static<typeof QueueDetailView>;

export const QueueParams = Type.Object({ name: Name });

/** Longer reasons are cut. */
export const PauseBody = Type.Object({ reason: Type.Optional(Type.String()) }, CLOSED);
export type PauseBody = Static<typeof PauseBody>;

export const QueueListView = Type.Object({ items: Type.Array(QueueView) });

export const QueuePatchBody = Type.Object(
  {
    paused: Type.Optional(Type.Boolean()),
    /** Longer reasons are cut. Only for a queue that is being paused. */
    pauseReason: Type.Optional(Type.String()),
    maxLength: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: MAX_QUEUE_LENGTH }), Type.Null()]),
    ),
    onFull: Type.Optional(Type.Enum([...ON_FULL])),
  },
  CLOSED,
);
export type QueuePatchBody = Static<typeof QueuePatchBody>;
