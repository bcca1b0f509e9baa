import { Type, type Static, type TProperties } from "typebox";
import { Instant, JobId, Nullable } from "./fields.js";
import { CancellationReason, JobState } from "./job.js";

const Count = Type.Integer({ minimum: 0 });

const slots = {
  /** Live workers that serve the job's queue and name. */
  workers: Count,
  /** Jobs that they can run at once, together. */
  slots: Count,
  /** Jobs that they run, as they said it last. */
  running: Count,
};

function because<Reason extends string, Facts extends TProperties>(reason: Reason, facts: Facts) {
  return Type.Object({
    state: JobState,
    reason: Type.Literal(reason),
    /** An English sentence for people. */
    detail: Type.String(),
    facts: Type.Object(facts),
    /** A job that waits is cancelled then, unless it starts before. */
    expiresAt: Nullable.Instant,
  });
}

/** `reason` tells the forms apart. */
export const ExplanationView = Type.Union(
  [
    because("running", { workerId: Type.String(), since: Instant, leaseUntil: Instant }),
    because("finished", { since: Instant, cancelled: Type.Union([CancellationReason, Type.Null()]) }),
    because("blocked", {
      since: Instant,
      /** Dependencies that are open. */
      open: Count,
      /** Up to five of them, in queues that the token covers: those that ended badly first. */
      dependencies: Type.Array(Type.Object({ id: JobId, ref: Type.String(), state: JobState })),
      /** One of them ended badly, and the job waits until somebody retries it. */
      stuck: Type.Boolean(),
    }),
    because("scheduled", {
      until: Instant,
      cause: Type.Enum(["first_run", "retry", "snooze"]),
      attempt: Count,
      maxAttempts: Count,
    }),
    because("queue_paused", { since: Instant, pauseReason: Nullable.Text }),
    because("no_worker", { queue: Type.String(), name: Type.String() }),
    because("limited", {
      limit: Type.Enum(["hold", "key_hold", "concurrency", "key_concurrency", "rate", "key_rate"]),
      /** `null` for a limit of the queue. */
      key: Nullable.Text,
      /** When a hold ends, or a rate lets in the next job. */
      until: Nullable.Instant,
      /** Of a concurrency or a rate. */
      max: Nullable.WholeNumber,
      /** The time in which a rate lets so many start. */
      perMs: Nullable.WholeNumber,
    }),
    because("workers_busy", slots),
    because("waiting_turn", {
      /** Jobs of the same queue and name that are claimed first, counted to 1000. */
      ahead: Count,
      /** Whether there are more than were counted. */
      capped: Type.Boolean(),
      ...slots,
    }),
  ],
  { title: "Explanation", discriminator: { propertyName: "reason" } },
);
export type ExplanationView = Static<typeof ExplanationView>;
