import type {
  CreatedFlowView,
  FlowChangedView,
  FlowDetailView,
  FlowJobView,
  FlowListQuery,
  FlowView,
} from "../api/flow.js";
import type { FlowRequest } from "../core/flow-request.js";
import type { TraceContext } from "../core/trace-context.js";
import { traceEnqueue, type Tracer } from "../core/tracing.js";
import { pages, type Page, type PageQuery } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";
import { wireRequest } from "./wire-request.js";

/** Makes flows, looks at them and changes them by hand: `client.flows`. */
export class FlowsClient {
  constructor(
    private readonly transport: Transport,
    private readonly tracer: Tracer | null,
  ) {}

  /** Makes all jobs or none. Resolves when they are durable. Only with an `idempotencyKey` is it tried again by itself. */
  create(flow: FlowRequest, options: CallOptions = {}): Promise<CreatedFlowView> {
    const send = (trace: TraceContext | null) =>
      this.transport.json<CreatedFlowView>({
        ...options,
        method: "POST",
        path: "/v1/flows",
        body: { ...flow, jobs: flow.jobs.map(wireRequest) },
        repeatable: flow.idempotencyKey !== undefined,
        trace,
      });
    if (this.tracer === null) return send(null);
    return traceEnqueue(this.tracer, flow.jobs, null, send, () => null);
  }

  get(id: string, options: CallOptions = {}): Promise<FlowDetailView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(id), repeatable: true });
  }

  page(query: FlowListQuery = {}, options: CallOptions = {}): Promise<Page<FlowView>> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/flows", query, repeatable: true });
  }

  /** All that match, newest first, page by page as they are asked for. */
  list(
    query: Omit<FlowListQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<FlowView, void, undefined> {
    return pages((place) => this.page({ ...query, ...place }, options));
  }

  jobPage(id: string, query: PageQuery = {}, options: CallOptions = {}): Promise<Page<FlowJobView>> {
    const path = `${pathOf(id)}/jobs`;
    return this.transport.json({ ...options, method: "GET", path, query: { ...query }, repeatable: true });
  }

  /** All jobs of a flow with what each depends on, by id, page by page as they are asked for. */
  jobs(id: string, options: CallOptions = {}): AsyncGenerator<FlowJobView, void, undefined> {
    return pages((query) => this.jobPage(id, query, options));
  }

  /** Cancels every job that has not ended. */
  cancel(id: string, options: CallOptions = {}): Promise<FlowChangedView> {
    return this.#change(id, "cancel", options);
  }

  /** Starts every dead and every cancelled job over, each when those that it depends on have ended. */
  retry(id: string, options: CallOptions = {}): Promise<FlowChangedView> {
    return this.#change(id, "retry", options);
  }

  /** Not repeated: `changed` would tell of the second one only. */
  #change(id: string, verb: string, options: CallOptions): Promise<FlowChangedView> {
    const path = `${pathOf(id)}/${verb}`;
    return this.transport.json({ ...options, method: "POST", path, repeatable: false });
  }
}

function pathOf(id: string): string {
  return `/v1/flows/${encodeURIComponent(id)}`;
}
