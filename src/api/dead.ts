import { Type, type Static } from "typebox";
import { CLOSED, Instant, Limit, Name, Nullable } from "./fields.js";

export const DEFAULT_DEAD_GROUPS = 100;
const MAX_DEAD_GROUPS = 500;

export const DeadGroupQuery = Type.Object(
  {
    queue: Type.Optional(Name),
    name: Type.Optional(Name),
    /** `count`, the default: most jobs first; `latest`: those first in which a job died last. */
    sort: Type.Optional(Type.Enum(["count", "latest"])),
    /** Default: 100. */
    limit: Type.Optional(Limit(MAX_DEAD_GROUPS)),
  },
  CLOSED,
);
export type DeadGroupQuery = Static<typeof DeadGroupQuery>;

export const DeadGroupView = Type.Object(
  {
    /** What `fingerprint:` of the filter language takes. */
    fingerprint: Type.String(),
    queue: Type.String(),
    name: Type.String(),
    type: Type.String(),
    /** Of the error, with `<n>`, `<path>` and the like where the jobs of the group differ. */
    message: Type.String(),
    /** Jobs that are dead now. */
    count: Type.Integer({ minimum: 1 }),
    /** When the first of them died. */
    firstAt: Instant,
    lastAt: Instant,
    /** The one that died last. */
    latestJobId: Nullable.Text,
  },
  { title: "DeadGroup" },
);
export type DeadGroupView = Static<typeof DeadGroupView>;

export const DeadGroupListView = Type.Object({
  items: Type.Array(DeadGroupView),
  /** Whether there are more groups. */
  more: Type.Boolean(),
});
export type DeadGroupListView = Static<typeof DeadGroupListView>;
