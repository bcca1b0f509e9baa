/** Konveier: a durable background job queue. `Konveier.open` and `defineJob` are where to begin. */
export { Konveier, type KonveierOptions } from "./konveier.js";
export type { Jobs } from "./jobs.js";
export type { Flows } from "./flows.js";
export type { Queues } from "./queues.js";
export type { AnyScheduleOptions, ScheduleOptions, Schedules } from "./schedules.js";
export {
  defineJob,
  type AnyJobDefinition,
  type JobContext,
  type JobDefinition,
  type JobHandler,
  type JobOptions,
  type PayloadSchema,
} from "./core/define-job.js";
export type { Worker, WorkerOptions } from "./worker/worker.js";
export { JobTimeoutError, WorkerStoppingError } from "./core/run.js";
export { Hold, NonRetryableError, RetryAfter, Snooze, type HoldScope } from "./core/outcomes.js";
export { ERRORS, KonveierError, LeaseLostError, type ErrorCode, type Fault } from "./core/errors.js";
export type { Backoff, BackoffFunction, BackoffInput } from "./core/backoff.js";
export type { EventMap, EventName, JobFact } from "./core/events.js";
export type {
  Attempt,
  AttemptOutcome,
  ClaimedJob,
  Enqueued,
  Instant,
  Job,
  JobDetail,
  JobStep,
  LogLevel,
  LogLine,
  Progress,
} from "./core/job.js";
export { chain, type ChainJob } from "./core/chain.js";
export type { CreatedFlow, Flow, FlowCounts, FlowDetail, FlowJob, FlowLink, FlowState } from "./core/flow.js";
export type { FlowPlace } from "./core/flow-place.js";
export type { DependencyRequest, FlowJobRequest, FlowRequest, OnFailure } from "./core/flow-request.js";
export type { FlowResult, JobFlow } from "./core/job-flow.js";
export type { JobRequest, JobSettings } from "./core/job-request.js";
export type {
  JobTemplate,
  MissedPolicy,
  OverlapPolicy,
  Schedule,
  ScheduleDefinition,
  ScheduleRun,
  ScheduleRunOutcome,
  ScheduleSource,
  Slot,
} from "./core/schedule.js";
export type { Preview, ShiftNote } from "./engine/schedules/preview.js";
export type { ScheduledJobSettings } from "./engine/schedules/request.js";
export type { SchedulePage } from "./store/schedules.js";
export type { JobState } from "./core/states.js";
export type { EnqueueLater, EnqueueNow } from "./within.js";
export { NotCommittedError } from "./core/transactions.js";
export type { JobWithin, PostgresClient, SqliteConnection } from "./core/transactions.js";
export type { TraceContext } from "./core/trace-context.js";
export type { AttemptEnd, EnqueueFacts, EnqueueTrace, ProcessTrace, Tracer } from "./core/tracing.js";
export type { StoredError } from "./core/stored-error.js";
export type { JobCursor, JobFilter, JobPage } from "./store/jobs.js";
export type { Retention } from "./store/maintenance.js";
export type { FlowFilter, FlowPage, PageOfFlow } from "./store/flows.js";
export type { Queue } from "./store/queues.js";
export { webhookCall, type WebhookCallOptions } from "./handlers/webhook/webhook-call.js";
export type { WebhookCallPayload } from "./handlers/webhook/payload.js";
export type { WebhookCallResult } from "./handlers/webhook/result.js";
