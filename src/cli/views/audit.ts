import type { AuditEntryView } from "../../api/audit.js";
import type { ListView } from "../output/output.js";
import { relative } from "../output/time-text.js";

export function auditList(now: number): ListView<AuditEntryView> {
  return {
    id: ({ requestId }) => requestId,
    empty: "Nothing has been written down yet.",
    columns: [
      { title: "AT", text: ({ at }) => relative(at, now), align: "right" },
      { title: "BY", text: ({ tokenName }) => tokenName, least: 6 },
      { title: "FROM", text: ({ ip }) => ip, least: 9 },
      { title: "ACTION", text: ({ action }) => action },
      { title: "TARGET", text: ({ target }) => target ?? "", least: 8 },
      { title: "STATUS", text: ({ status }) => String(status ?? "?"), align: "right" },
      { title: "DETAIL", text: ({ detail }) => detail ?? "", least: 8 },
    ],
  };
}
