import { Type, type Static, type TSchema } from "typebox";
import { MAX_QUEUE_LENGTH } from "../core/defaults.js";
import {
  MAX_AGEING_MS,
  MAX_CONCURRENCY_LIMIT,
  MAX_RATE,
  MAX_RATE_PER_MS,
  ON_FULL,
} from "../core/queue-limits.js";
import { JOB_STATES, type JobState } from "../core/states.js";
import { CLOSED, Instant, Name, Nullable } from "./fields.js";

const StateCounts = Type.Object(
  Object.fromEntries(JOB_STATES.map((state) => [state, Type.Integer()])) as Record<
    JobState,
    ReturnType<typeof Type.Integer>
  >,
);

const RateLimit = Type.Object(
  {
    max: Type.Integer({ minimum: 1, maximum: MAX_RATE }),
    /** At most `max` starts in any such time. */
    perMs: Type.Integer({ minimum: 1, maximum: MAX_RATE_PER_MS }),
  },
  { ...CLOSED, title: "RateLimit" },
);
const OrNone = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Concurrency = OrNone(Type.Integer({ minimum: 1, maximum: MAX_CONCURRENCY_LIMIT }));
const Ageing = OrNone(Type.Integer({ minimum: 1, maximum: MAX_AGEING_MS }));

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
  /** Jobs that may run at the same time, in all processes together; `null`: any number. */
  concurrency: Concurrency,
  rateLimit: OrNone(RateLimit),
  /** For the jobs of each `concurrencyKey`, and of each `rateKey`. */
  perKey: Type.Object({ concurrency: Concurrency, rateLimit: OrNone(RateLimit) }),
  /** A job that waits for so long counts as one priority higher. */
  ageingMs: Ageing,
  /** A handler asked for no more starts until then. */
  heldUntil: Nullable.Instant,
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

/** What is left out stays as it is; `null` takes a limit away. */
export const QueuePatchBody = Type.Object(
  {
    paused: Type.Optional(Type.Boolean()),
    /** Longer reasons are cut. Only for a queue that is being paused. */
    pauseReason: Type.Optional(Type.String()),
    maxLength: Type.Optional(OrNone(Type.Integer({ minimum: 0, maximum: MAX_QUEUE_LENGTH }))),
    onFull: Type.Optional(Type.Enum([...ON_FULL])),
    concurrency: Type.Optional(Concurrency),
    rateLimit: Type.Optional(OrNone(RateLimit)),
    perKey: Type.Optional(
      OrNone(
        Type.Object(
          { concurrency: Type.Optional(Concurrency), rateLimit: Type.Optional(OrNone(RateLimit)) },
          CLOSED,
        ),
      ),
    ),
    ageingMs: Type.Optional(Ageing),
  },
  CLOSED,
);
export type QueuePatchBody = Static<typeof QueuePatchBody>;
