import { Type, type Static } from "typebox";
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
  counts: StateCounts,
  /** `runAt` of the job that has been claimable longest. */
  oldestPendingAt: Type.Union([Instant, Type.Null()]),
};

export const QueueView = Type.Object(queueFields);
export type QueueView = Static<typeof QueueView>;

export const QueueDetailView = Type.Object({
  ...queueFields,
  /** Names with pending jobs that no live worker serves. */
  unhandled: Type.Array(Type.Object({ name: Type.String(), pending: Type.Integer() })),
});
export type QueueDetailView = Static<typeof QueueDetailView>;

export const QueueParams = Type.Object({ name: Name });

/** Longer reasons are cut. */
export const PauseBody = Type.Object({ reason: Type.Optional(Type.String()) }, CLOSED);
