import { Type, type Static } from "typebox";
import { CLOSED, Instant, Limit, Nullable } from "./fields.js";

export const DEFAULT_AUDIT_PAGE = 100;

export const AuditQuery = Type.Object(
  { limit: Type.Optional(Limit(500)), cursor: Type.Optional(Type.String()) },
  CLOSED,
);

export const AuditEntryView = Type.Object(
  {
    at: Instant,
    tokenId: Type.String(),
    tokenName: Type.String(),
    /** Whether it came from a browser that had signed in. */
    session: Type.Boolean(),
    ip: Type.String(),
    requestId: Type.String(),
    /** The `operationId` of the call. */
    action: Type.String(),
    target: Nullable.Text,
    detail: Nullable.Text,
    /** What the client got, or would have got. `null`: at work, or the server ended before it knew. */
    status: Nullable.WholeNumber,
  },
  { title: "AuditEntry" },
);
export type AuditEntryView = Static<typeof AuditEntryView>;

export const AuditPageView = Type.Object({ items: Type.Array(AuditEntryView), nextCursor: Nullable.Text });
