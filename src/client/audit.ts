import type { AuditEntryView } from "../api/audit.js";
import { pages, type Page, type PageQuery } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";

/** Who changed what: `client.audit`. Needs the scope `admin`. */
export class AuditClient {
  constructor(private readonly transport: Transport) {}

  /** Newest first. */
  page(query: PageQuery = {}, options: CallOptions = {}): Promise<Page<AuditEntryView>> {
    const path = "/v1/audit";
    return this.transport.json({ ...options, method: "GET", path, query: { ...query }, repeatable: true });
  }

  /** All entries, newest first, page by page as they are asked for. */
  list(limit?: number, options: CallOptions = {}): AsyncGenerator<AuditEntryView, void, undefined> {
    return pages((query) => this.page(query, options), limit);
  }
}
