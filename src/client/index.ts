/** The HTTP client and the remote worker. Needs `fetch` and no native code. */
export { KonveierClient } from "./client.js";
export { ApiError, ConnectionError } from "./errors.js";
export type { AuditClient } from "./audit.js";
export type { DeadClient } from "./dead.js";
export type { EventMessage, EventsClient, EventReset } from "./events.js";
export type { FollowOptions } from "./follow-frames.js";
export type { FlowsClient } from "./flows.js";
export type { JobQuery, JobsClient } from "./jobs.js";
export type { Lease, LeasesClient } from "./leases.js";
export type { LiveClient, LiveMessage } from "./live.js";
export type { OperationsClient } from "./operations.js";
export type { Page, PageQuery } from "./page.js";
export type { QueuesClient } from "./queues.js";
export type { SchedulesClient } from "./schedules.js";
export type { StatsClient } from "./stats.js";
export type { TokensClient } from "./tokens.js";
export type { CallOptions, ClientOptions } from "./transport.js";
export { RemoteWorker, type RemoteWorkerOptions } from "./remote-worker/remote-worker.js";
export {
  defineJob,
  type AnyJobDefinition,
  type JobContext,
  type JobDefinition,
  type JobHandler,
  type JobOptions,
  type PayloadSchema,
} from "../core/define-job.js";
export { chain, type ChainJob } from "../core/chain.js";
export type { DependencyRequest, FlowJobRequest, FlowRequest, OnFailure } from "../core/flow-request.js";
export type { FlowResult, JobFlow } from "../core/job-flow.js";
export { Hold, NonRetryableError, RetryAfter, Snooze, type HoldScope } from "../core/outcomes.js";
export { JobTimeoutError, WorkerStoppingError } from "../core/run.js";
export type { Tracer } from "../core/tracing.js";
export { KonveierError, LeaseLostError, type ErrorCode, type Fault } from "../core/errors.js";
