/** The wire contract. Types only: the schemas themselves stay on the server. */
export type { ActivitySeriesView, DurationSeriesView, OverviewView } from "../../../src/api/stats.js";
export type { AttemptView, JobDetailView, JobView, LogLineView } from "../../../src/api/job.js";
export type { JobCountView, JobPageView } from "../../../src/api/job-list.js";
export type { BulkPreviewView, OperationView } from "../../../src/api/operation.js";
export type { Problem as ProblemView } from "../../../src/api/problem.js";
export type { QueueDetailView, QueueView } from "../../../src/api/queue.js";
export type { ScheduleDetailView, ScheduleRunView, ScheduleView } from "../../../src/api/schedule.js";
export type { SelfView, TokenView } from "../../../src/api/token.js";
export type { WorkerView } from "../../../src/api/worker.js";
export type { BulkAction } from "../../../src/core/bulk-action.js";
export type { JobState } from "../../../src/core/states.js";
