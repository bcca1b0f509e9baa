import { AuditPageView, AuditQuery, DEFAULT_AUDIT_PAGE, type AuditEntryView } from "../../api/audit.js";
import { formatInstant } from "../../core/instant.js";
import type { AuditEntry } from "../../store/audit.js";
import type { App } from "../app.js";
import { decodePlace, encodePlace } from "../cursor.js";
import type { Services } from "../services.js";

const LIST = "audit";

export function auditRoutes(app: App, { context, signer }: Services): void {
  app.get(
    "/v1/audit",
    {
      schema: {
        operationId: "listAudit",
        summary: "Who changed what, and who was refused, newest first.",
        tags: ["access"],
        querystring: AuditQuery,
        response: { 200: AuditPageView },
      },
      config: { access: "administer", problems: ["bad_cursor"] },
    },
    async ({ query: { cursor, limit = DEFAULT_AUDIT_PAGE } }) => {
      const before = cursor === undefined ? null : Number(decodePlace(signer, LIST, cursor));
      const entries = await context.store.audit.list(limit + 1, before);
      const items = entries.slice(0, limit);
      const last = items.at(-1);
      const more = entries.length > limit && last !== undefined;
      return {
        items: items.map(auditEntryView),
        nextCursor: more ? encodePlace(signer, LIST, String(last.seq)) : null,
      };
    },
  );
}

function auditEntryView(entry: AuditEntry): AuditEntryView {
  const { at, tokenId, tokenName, session, ip, requestId, action, target, detail, status } = entry;
  return {
    at: formatInstant(at),
    tokenId,
    tokenName,
    session,
    ip,
    requestId,
    action,
    target,
    detail,
    status,
  };
}
