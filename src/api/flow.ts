import { Type, type Static } from "typebox";
import { FLOW_STATES } from "../core/flow.js";
import { MAX_FLOW_DEPENDENCIES, MAX_FLOW_JOBS } from "../core/defaults.js";
import { ON_FAILURE } from "../core/flow-request.js";
import { JOB_STATES } from "../core/states.js";
import { CLOSED, Instant, JobId, Key, Limit, Name, Nullable } from "./fields.js";
import { JobState, JobView } from "./job.js";
import { jobRequestFields } from "./job-request.js";

const OnFailure = Type.Enum([...ON_FAILURE], { title: "OnDependencyFailure" });
const FlowState = Type.Enum([...FLOW_STATES], { title: "FlowState" });

/** A job of a flow to make. `core/flow-request.ts` is the authority on the rules between jobs. */
export const FlowJobBody = Type.Object(
  {
    /** Its name within the flow. */
    ref: Key,
    ...jobRequestFields,
    /** Jobs that end before this one can run. */
    dependsOn: Type.Optional(
      Type.Array(Type.Union([Key, Type.Object({ ref: Key, onFailure: Type.Optional(OnFailure) }, CLOSED)]), {
        maxItems: MAX_FLOW_DEPENDENCIES,
      }),
    ),
    /** What it means for this job when one of those does not complete. Default `cancel`. */
    onDependencyFailure: Type.Optional(OnFailure),
  },
  { ...CLOSED, title: "FlowJobRequest" },
);

const FlowJobs = Type.Array(FlowJobBody, { minItems: 1, maxItems: MAX_FLOW_JOBS });

export const FlowBody = Type.Object(
  { name: Name, jobs: FlowJobs, idempotencyKey: Type.Optional(Key) },
  CLOSED,
);
export type FlowBody = Static<typeof FlowBody>;

/** Jobs that a running job adds to its flow. */
export const ExtendFlowBody = Type.Object({ leaseToken: Type.String(), jobs: FlowJobs }, CLOSED);

export const DEFAULT_FLOW_PAGE = 50;
export const DEFAULT_FLOW_JOB_PAGE = 100;
/** With what up to 100 others depend on each, and with results of up to 256 KiB. */
const MAX_FLOW_JOB_PAGE = 100;

const page = { limit: Type.Optional(Limit(MAX_FLOW_JOB_PAGE)), cursor: Type.Optional(Type.String()) };

export const FlowListQuery = Type.Object(
  { state: Type.Optional(FlowState), name: Type.Optional(Name), ...page, limit: Type.Optional(Limit(500)) },
  CLOSED,
);
export type FlowListQuery = Static<typeof FlowListQuery>;
export const FlowPageQuery = Type.Object(page, CLOSED);

/** What a worker reads while it holds the job. */
export const DependenciesBody = Type.Object({ leaseToken: Type.String(), ...page }, CLOSED);

const flowFields = {
  id: JobId,
  name: Type.String(),
  state: FlowState,
  createdAt: Instant,
  /** When the last job ended; `null` while one has not. */
  finishedAt: Nullable.Instant,
  /** Of the jobs that the flow has now. */
  counts: Type.Object({
    jobs: Type.Integer(),
    completed: Type.Integer(),
    dead: Type.Integer(),
    cancelled: Type.Integer(),
  }),
};

export const FlowView = Type.Object(flowFields, { title: "Flow" });
export type FlowView = Static<typeof FlowView>;

export const CreatedFlowView = Type.Object(
  {
    ...flowFields,
    /** Only there when the idempotency key was known and this is the flow that it belongs to. */
    deduplicated: Type.Optional(Type.Literal(true)),
  },
  { title: "CreatedFlow" },
);
export type CreatedFlowView = Static<typeof CreatedFlowView>;

export const FlowDetailView = Type.Object(
  {
    ...flowFields,
    states: Type.Object(Object.fromEntries(JOB_STATES.map((state) => [state, Type.Integer()]))),
    /** Every job that has not ended is blocked: nothing goes on before somebody retries what they wait for. */
    stuck: Type.Boolean(),
  },
  { title: "FlowDetail" },
);
export type FlowDetailView = Static<typeof FlowDetailView>;

export const FlowLinkView = Type.Object(
  {
    id: JobId,
    ref: Type.String(),
    queue: Type.String(),
    state: JobState,
    onFailure: OnFailure,
    /** Whether the one no longer waits for the other. */
    resolved: Type.Boolean(),
  },
  { title: "FlowLink" },
);
export type FlowLinkView = Static<typeof FlowLinkView>;

export const FlowJobView = Type.Object(
  {
    ...JobView.properties,
    ref: Type.String(),
    /** The first 100 of those that it depends on. */
    dependsOn: Type.Array(FlowLinkView),
    /** How many those are in all. */
    dependencies: Type.Integer(),
  },
  { title: "FlowJob" },
);
export type FlowJobView = Static<typeof FlowJobView>;

export const DependencyView = Type.Object(
  {
    ...FlowLinkView.properties,
    /** What its handler returned, exactly as it is stored. Not there unless the job completed with something. */
    result: Type.Optional(Type.Unknown()),
  },
  { title: "Dependency" },
);
export type DependencyView = Static<typeof DependencyView>;

const nextCursor = Nullable.Text;
export const FlowPageView = Type.Object({ items: Type.Array(FlowView), nextCursor });
export const FlowJobPageView = Type.Object({ items: Type.Array(FlowJobView), nextCursor });
export const DependencyPageView = Type.Object({ items: Type.Array(DependencyView), nextCursor });
export const DependantPageView = Type.Object({ items: Type.Array(FlowLinkView), nextCursor });

/** How many jobs a cancel or retry of a flow has changed. */
export const FlowChangedView = Type.Object({ changed: Type.Integer(), flow: FlowView });
export type FlowChangedView = Static<typeof FlowChangedView>;

export const FlowParams = Type.Object({ id: JobId });
