import { Type, type Static } from "typebox";
import { BULK_ACTIONS, type BulkAction } from "../core/bulk-action.js";
import { CLOSED, Instant, JobId, Limit, Nullable } from "./fields.js";
import { JobView } from "./job.js";
import { ScanView } from "./job-list.js";

/** Globs of the queues of the token that made the preview: only their jobs are meant. `null`: all queues. */
const Queues = Type.Union([Type.Array(Type.String()), Type.Null()]);

const Action = Type.Enum(Object.keys(BULK_ACTIONS) as BulkAction[]);
/** One page of a list, all of its rows ticked. */
const MAX_IDS = 500;
export const DEFAULT_PER_SECOND = 500;
const MAX_PER_SECOND = 10_000;

export const BulkPreviewBody = Type.Object(
  {
    action: Action,
    /** A filter. Its faults are `bad_filter`, with a position. */
    q: Type.Optional(Type.String()),
    ids: Type.Optional(Type.Array(JobId, { minItems: 1, maxItems: MAX_IDS })),
  },
  CLOSED,
);
export type BulkPreviewBody = Static<typeof BulkPreviewBody>;

export const BulkPreviewView = Type.Object(
  {
    action: Action,
    /** What will be changed, as a filter: relative times are resolved, and only states that allow the action are in it. */
    q: Type.String(),
    queues: Queues,
    /** Jobs that match now. */
    matched: Type.Integer(),
    /** Whether there are more than were counted. */
    capped: Type.Boolean(),
    scan: ScanView,
    /** Some of them. */
    samples: Type.Array(JobView),
    /** Starts the operation. */
    previewToken: Type.String(),
    expiresAt: Instant,
  },
  { title: "BulkPreview" },
);
export type BulkPreviewView = Static<typeof BulkPreviewView>;

export const BulkBody = Type.Object(
  {
    previewToken: Type.String(),
    /** Jobs changed in a second at the most. Default: 500. */
    perSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND })),
    /** For people. Longer ones are cut. */
    reason: Type.Optional(Type.String()),
  },
  CLOSED,
);

export type BulkBody = Static<typeof BulkBody>;

export const OperationView = Type.Object(
  {
    id: Type.String(),
    action: Action,
    q: Type.String(),
    queues: Queues,
    state: Type.Enum(["running", "completed", "cancelled"]),
    perSecond: Type.Integer(),
    reason: Nullable.Text,
    /** Jobs that matched in the preview. */
    matched: Type.Integer(),
    changed: Type.Integer(),
    createdAt: Instant,
    /** Id of the token that started it. */
    createdBy: Type.String(),
    finishedAt: Nullable.Instant,
  },
  { title: "Operation" },
);
export type OperationView = Static<typeof OperationView>;

export const DEFAULT_OPERATION_PAGE = 50;
export const OperationPageQuery = Type.Object(
  { limit: Type.Optional(Limit(500)), cursor: Type.Optional(Type.String()) },
  CLOSED,
);
export const OperationPageView = Type.Object({ items: Type.Array(OperationView), nextCursor: Nullable.Text });

export const OperationParams = Type.Object({ id: Type.String() });
