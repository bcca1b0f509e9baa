import { Type, type Static } from "typebox";
import { MAX_LOG_LINES } from "../core/defaults.js";
import { CLOSED, Limit, Name, Nullable, Tag } from "./fields.js";
import { JobState, JobView } from "./job.js";

export const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;

export const JobListQuery = Type.Object(
  {
    state: Type.Optional(JobState),
    queue: Type.Optional(Name),
    name: Type.Optional(Name),
    tag: Type.Optional(Tag),
    limit: Type.Optional(Limit(MAX_PAGE)),
    cursor: Type.Optional(Type.String()),
  },
  CLOSED,
);
export type JobListQuery = Static<typeof JobListQuery>;

export const JobPageView = Type.Object({ items: Type.Array(JobView), nextCursor: Nullable.Text });

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
