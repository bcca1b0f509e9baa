import type { CreatedFlow, FlowDetail, FlowJob, FlowLink } from "./core/flow.js";
import type { FlowRequest } from "./core/flow-request.js";
import type { EngineContext } from "./engine/context.js";
import { createFlow } from "./engine/flows/make.js";
import { cancelFlow, retryFlow } from "./engine/flows/walk.js";
import type { FlowFilter, FlowPage, PageOfFlow } from "./store/flows.js";

interface PageOptions {
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string | null;
}

/** Makes flows, looks at them and changes them by hand: `konveier.flows`. */
export class Flows {
  constructor(private readonly context: EngineContext) {}

  /**
   * Accepts a flow: all its jobs or none. When the promise resolves, all are durable.
   *
   * @throws KonveierError `validation_failed`, `payload_…`, `idempotency_key_reused`, `store_…`
   */
  create(flow: FlowRequest): Promise<CreatedFlow> {
    return createFlow(this.context, flow);
  }

  /** `null` when there is no such flow. */
  get(id: string): Promise<FlowDetail | null> {
    return this.context.store.flows.get(id);
  }

  /** Newest first. */
  list(filter: FlowFilter = {}, { limit = 50, after = null }: PageOptions = {}): Promise<FlowPage> {
    return this.context.store.flows.list(filter, limit, after);
  }

  /** The jobs of a flow with what they depend on, by id; `null` when there is no such flow. */
  jobs(id: string, { limit = 100, after = null }: PageOptions = {}): Promise<PageOfFlow<FlowJob> | null> {
    return this.context.store.flows.jobs(id, limit, after);
  }

  /** What depends on a job, by id; `null` when there is no such job. */
  dependants(
    jobId: string,
    { limit = 100, after = null }: PageOptions = {},
  ): Promise<PageOfFlow<FlowLink> | null> {
    return this.context.store.flows.dependants(jobId, limit, after);
  }

  /** Cancels every job that has not ended. @returns how many @throws KonveierError `flow_not_found` */
  cancel(id: string): Promise<number> {
    return cancelFlow(this.context, id);
  }

  /**
   * Starts every dead and every cancelled job over, each when those that it depends on have ended.
   *
   * @returns how many
   * @throws KonveierError `flow_not_found`
   */
  retry(id: string): Promise<number> {
    return retryFlow(this.context, id);
  }
}
