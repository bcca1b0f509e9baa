import type { Static } from "typebox";
import type {
  ActivitySeriesView as ActivitySeries,
  DurationSeriesView as DurationSeries,
} from "../../../src/api/stats.js";

/** The wire contract. Types only: the schemas themselves stay on the server. */
export type { FindingView, FindingsView } from "../../../src/api/finding.js";
export type { NameTableView, OverviewView, QueueLinesView } from "../../../src/api/stats.js";
export type { AuditEntryView } from "../../../src/api/audit.js";
export type { InfoView } from "../../../src/api/info.js";
export type { DeadGroupListView, DeadGroupView } from "../../../src/api/dead.js";
export type { ExplanationView } from "../../../src/api/explanation.js";
export type { AttemptView, JobDetailView, JobView, LogLineView, StepView } from "../../../src/api/job.js";
export type { JobPageView } from "../../../src/api/job-list.js";
export type { BulkPreviewView, OperationView } from "../../../src/api/operation.js";
export type { Problem as ProblemView } from "../../../src/api/problem.js";
export type {
  FlowChangedView,
  FlowDetailView,
  FlowJobView,
  FlowLinkView,
  FlowView,
} from "../../../src/api/flow.js";
export type { QueueDetailView, QueueView } from "../../../src/api/queue.js";
export type {
  PreviewView,
  ScheduleDetailView,
  ScheduleRunView,
  ScheduleView,
} from "../../../src/api/schedule.js";
export type { IssuedTokenView, SelfView, TokenView } from "../../../src/api/token.js";
export type { WorkerView } from "../../../src/api/worker.js";
export type { Capability, Scope } from "../../../src/core/access.js";
export type { MissedPolicy, OverlapPolicy } from "../../../src/core/schedule.js";
export type { BulkAction } from "../../../src/core/bulk-action.js";
export type { FlowState } from "../../../src/core/flow.js";
export type { JobState } from "../../../src/core/states.js";
export type ActivitySeriesView = Static<typeof ActivitySeries>;
export type DurationSeriesView = Static<typeof DurationSeries>;
