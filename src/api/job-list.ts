import { Type, type Static } from "typebox";
import { MAX_LOG_LINES } from "../core/defaults.js";
import { JOB_STATES, type JobState as StateName } from "../core/states.js";
import { CLOSED, Limit, Name, Nullable, Tag } from "./fields.js";
import { JobState, JobView } from "./job.js";

export const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;

const STATELESS_FILTER = {
  /** Its faults are `bad_filter`, with a position, so the schema says nothing about them. */
  q: Type.Optional(Type.String()),
  queue: Type.Optional(Name),
  name: Type.Optional(Name),
  tag: Type.Optional(Tag),
};

const FILTER = { ...STATELESS_FILTER, state: Type.Optional(JobState) };

export const JobListQuery = Type.Object(
  { ...FILTER, limit: Type.Optional(Limit(MAX_PAGE)), cursor: Type.Optional(Type.String()) },
  CLOSED,
);

export type JobListQuery = Static<typeof JobListQuery>;

export const CountQuery = Type.Object(FILTER, CLOSED);
export type CountQuery = Static<typeof CountQuery>;

/** What was looked at, where no index gave the answer. */
export const ScanView = Type.Union([
  Type.Object({
    examined: Type.Integer({ minimum: 0 }),
    /** How far back, by the instant that the list is sorted by; `null` at the end of the list. */
    until: Nullable.Instant,
    /** Whether the end of the list was reached. */
    complete: Type.Boolean(),
  }),
  Type.Null(),
]);

export const JobPageView = Type.Object({
  items: Type.Array(JobView),
  nextCursor: Nullable.Text,
  scan: ScanView,
});
export type JobPageView = Static<typeof JobPageView>;

export const JobCountView = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  capped: Type.Boolean(),
  scan: ScanView,
});
export type JobCountView = Static<typeof JobCountView>;

export const StateCountsQuery = Type.Object(STATELESS_FILTER, CLOSED);
export type StateCountsQuery = Static<typeof StateCountsQuery>;

const StateCountView = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  /** There are more than were counted, or there may be. */
  capped: Type.Boolean(),
});

export const StateCountsView = Type.Object({
  states: Type.Object(
    Object.fromEntries(JOB_STATES.map((state) => [state, StateCountView])) as Record<
      StateName,
      typeof StateCountView
    >,
  ),
  /** What was looked at, where no index gave the answer. */
  scan: Type.Union([
    Type.Object({
      examined: Type.Integer({ minimum: 0 }),
      /** Whether every state was looked through to its end. */
      complete: Type.Boolean(),
    }),
    Type.Null(),
  ]),
});
export type StateCountsView = Static<typeof StateCountsView>;

export const DEFAULT_LOG_PAGE = 200;

export const LogQuery = Type.Object(
  {
    /** `seq` of the last line that is known already. */
    after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    limit: Type.Optional(Limit(MAX_LOG_LINES)),
  },
  CLOSED,
);

export const DeleteQuery = Type.Object({ force: Type.Optional(Type.Boolean()) }, CLOSED);
