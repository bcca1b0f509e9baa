import type { Static } from "typebox";
import type { BulkBody, BulkPreviewBody, BulkPreviewView, OperationView } from "../api/operation.js";
import { pages, type Page, type PageQuery } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";

/** Changes many jobs at once, in two steps, and follows what becomes of it: `client.operations`. */
export class OperationsClient {
  constructor(private readonly transport: Transport) {}

  /** What an action would change. Nothing is changed. */
  preview(request: BulkPreviewBody, options: CallOptions = {}): Promise<Static<typeof BulkPreviewView>> {
    const path = "/v1/jobs/bulk/preview";
    return this.transport.json({ ...options, method: "POST", path, body: request, repeatable: true });
  }

  /** Starts what was previewed. The same preview starts one operation, however often this is said. */
  start(
    previewToken: string,
    settings: Omit<BulkBody, "previewToken"> = {},
    options: CallOptions = {},
  ): Promise<OperationView> {
    const body: BulkBody = { previewToken, ...settings };
    return this.transport.json({ ...options, method: "POST", path: "/v1/jobs/bulk", body, repeatable: true });
  }

  get(id: string, options: CallOptions = {}): Promise<OperationView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(id), repeatable: true });
  }

  /** Newest first. */
  page(query: PageQuery = {}, options: CallOptions = {}): Promise<Page<OperationView>> {
    const path = "/v1/operations";
    return this.transport.json({ ...options, method: "GET", path, query: { ...query }, repeatable: true });
  }

  /** All of them, newest first, page by page as they are asked for. */
  list(limit?: number, options: CallOptions = {}): AsyncGenerator<OperationView, void, undefined> {
    return pages((query) => this.page(query, options), limit);
  }

  /** Jobs that it has changed stay changed. */
  cancel(id: string, options: CallOptions = {}): Promise<OperationView> {
    const path = `${pathOf(id)}/cancel`;
    return this.transport.json({ ...options, method: "POST", path, repeatable: true });
  }
}

function pathOf(id: string): string {
  return `/v1/operations/${encodeURIComponent(id)}`;
}
