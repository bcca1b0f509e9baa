import { Type, type Static } from "typebox";
import { CANCELLATION_REASONS, LOG_LEVELS } from "../core/job.js";
import { JOB_STATES } from "../core/states.js";
import { UNIQUE_SCOPES } from "../core/unique.js";
import { Instant, JobId, Nullable } from "./fields.js";
import { Backoff } from "./job-request.js";

export const JobState = Type.Enum([...JOB_STATES], { title: "JobState" });

export const CancellationReason = Type.Enum([...CANCELLATION_REASONS]);

const jobFields = {
  id: JobId,
  queue: Type.String(),
  name: Type.String(),
  state: JobState,
  priority: Type.Integer(),
  attempt: Type.Integer(),
  maxAttempts: Type.Integer(),
  createdAt: Instant,
  runAt: Instant,
  startedAt: Nullable.Instant,
  finishedAt: Nullable.Instant,
  workerId: Nullable.Text,
  token: Nullable.WholeNumber,
  leaseExpiresAt: Nullable.Instant,
};

/** A job in answers and lists: no payload, no result. */
export const JobView = Type.Object(jobFields, { title: "Job" });
export type JobView = Static<typeof JobView>;

/** A job as an enqueue answers it. */
export const EnqueuedJobView = Type.Object(
  {
    ...jobFields,
    /** Only there when the idempotency key was known, or the unique key taken, and this is the job that has it. */
    deduplicated: Type.Optional(Type.Literal(true)),
  },
  { title: "EnqueuedJob" },
);
export type EnqueuedJobView = Static<typeof EnqueuedJobView>;

const errorFields = { type: Type.String(), message: Type.String(), stack: Nullable.Text };

const ErrorView = Type.Object(errorFields, { title: "JobError" });

const LastErrorView = Type.Object(
  {
    ...errorFields,
    /** Of the group of dead jobs that the job is in; `null` while it is not dead. */
    fingerprint: Nullable.Text,
  },
  { title: "LastJobError" },
);

export const JobDetailView = Type.Object(
  {
    ...jobFields,
    timeoutMs: Nullable.WholeNumber,
    /** `null`: the default backoff. */
    backoff: Type.Union([Backoff, Type.Null()]),
    tags: Type.Array(Type.String()),
    idempotencyKey: Nullable.Text,
    unique: Type.Union([
      Type.Object({ scope: Type.Enum([...UNIQUE_SCOPES]), key: Type.String() }),
      Type.Null(),
    ]),
    /** Not started by then, it is cancelled. `null` also for a job that has started and waits for another attempt. */
    expiresAt: Nullable.Instant,
    /** Why it is cancelled; `about` is the job that it was cancelled for. `null` while it is not cancelled. */
    cancellation: Type.Union([
      Type.Object({ reason: CancellationReason, about: Nullable.Text }),
      Type.Null(),
    ]),
    /** The schedule that made the job. */
    schedule: Nullable.Origin,
    /** Which job of which flow it is. */
    flow: Nullable.FlowPlace,
    /** Where in a distributed trace the job was enqueued. */
    traceparent: Nullable.Text,
    /** What the limits per key of the queue count the job under. */
    concurrencyKey: Nullable.Text,
    rateKey: Nullable.Text,
    payloadBytes: Type.Integer(),
    resultBytes: Nullable.WholeNumber,
    resultProblem: Nullable.Text,
    progress: Type.Union([
      Type.Object({ percent: Type.Number(), message: Nullable.Text, at: Instant }),
      Type.Null(),
    ]),
    lastError: Type.Union([LastErrorView, Type.Null()]),
  },
  { title: "JobDetail" },
);
export type JobDetailView = Static<typeof JobDetailView>;

export const AttemptView = Type.Object(
  {
    number: Type.Integer(),
    token: Type.Integer(),
    workerId: Type.String(),
    startedAt: Instant,
    finishedAt: Nullable.Instant,
    outcome: Type.Enum(["running", "completed", "failed", "timed_out", "lost", "cancelled"]),
    error: Type.Union([ErrorView, Type.Null()]),
    retryDelayMs: Nullable.WholeNumber,
  },
  { title: "Attempt" },
);
export type AttemptView = Static<typeof AttemptView>;

export const LogLineView = Type.Object(
  {
    seq: Type.Integer(),
    attempt: Type.Integer(),
    at: Instant,
    level: Type.Enum([...LOG_LEVELS]),
    message: Type.String(),
  },
  { title: "LogLine" },
);
export type LogLineView = Static<typeof LogLineView>;

export const StepView = Type.Object(
  {
    seq: Type.Integer(),
    name: Type.String(),
    attempt: Type.Integer(),
    at: Instant,
    resultBytes: Nullable.WholeNumber,
  },
  { title: "Step" },
);
export type StepView = Static<typeof StepView>;

export const StepListView = Type.Object({ items: Type.Array(StepView) });
export const AttemptListView = Type.Object({ items: Type.Array(AttemptView) });
export const LogPageView = Type.Object({ items: Type.Array(LogLineView) });
export const EnqueuedBatchView = Type.Object({ items: Type.Array(EnqueuedJobView) });
