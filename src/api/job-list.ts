import { Type, type Static } from "typebox";
import { MAX_LOG_LINES } from "../core/defaults.js";
import { CLOSED, Limit, Name, Nullable, Tag } from "./fields.js";
import { JobState, JobView } from "./job.js";

export const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;

const FILTER = {
  /** Its faults are `bad_filter`, with a position, so the schema says nothing about them. */
  q: Type.Optional(Type.String()),
  state: Type.Optional(JobState),
  queue: Type.Optional(Name),
  name: Type.Optional(Name),
  tag: Type.Optional(Tag),
};

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
