import {
  CreatedFlowView,
  DEFAULT_FLOW_PAGE,
  FlowBody,
  FlowChangedView,
  FlowDetailView,
  FlowJobPageView,
  FlowListQuery,
  FlowPageQuery,
  FlowPageView,
  FlowParams,
  DEFAULT_FLOW_JOB_PAGE,
} from "../../api/flow.js";
import { TraceHeaders } from "../../api/job-request.js";
import { DEFAULT_QUEUE } from "../../core/defaults.js";
import type { EngineContext } from "../../engine/context.js";
import { createFlow } from "../../engine/flows/make.js";
import { cancelFlow, flowNotFound, retryFlow } from "../../engine/flows/walk.js";
import { covers, requireAllQueues, requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { decodePlace, encodePlace } from "../cursor.js";
import type { Services } from "../services.js";
import { createdFlowView, flowDetailView, flowJobView, flowView } from "../views/flow.js";
import { traceOf } from "./enqueue.js";

/**
 * 100 000 jobs with a small payload are 6 MiB, with a queue, tags and a dependency as well 17 MiB. Reading a body keeps
 * everybody waiting, for a second at this size: larger flows add jobs from within.
 */
export const FLOW_BODY_LIMIT = 16 * 1024 * 1024;
export const FLOW_PROBLEMS = [
  "payload_too_large",
  "payload_too_deep",
  "payload_not_json",
  "number_precision",
] as const;

const tags = ["flows"];
const problems = ["flow_not_found"] as const;

/** Jobs with dependencies between them. */
export function flowRoutes(app: App, services: Services): void {
  createFlowRoute(app, services);
  flowReadRoutes(app, services);
  flowJobRoute(app, services);
  flowVerbRoutes(app, services);
}

function createFlowRoute(app: App, { context }: Services): void {
  app.post(
    "/v1/flows",
    {
      schema: {
        operationId: "createFlow",
        summary: "Make a flow with all its jobs, or nothing. It is durable when the answer comes.",
        tags,
        headers: TraceHeaders,
        body: FlowBody,
        response: { 200: CreatedFlowView, 201: CreatedFlowView },
      },
      bodyLimit: FLOW_BODY_LIMIT,
      config: {
        access: "enqueue",
        hasFlow: true,
        problems: ["idempotency_key_reused", ...FLOW_PROBLEMS],
      },
    },
    async (request, reply) => {
      for (const { queue } of request.body.jobs) requireQueue(request, queue ?? DEFAULT_QUEUE);
      const flow = await createFlow(context, request.body, traceOf(request));
      return reply
        .code(flow.deduplicated ? 200 : 201)
        .header("Location", `/v1/flows/${flow.id}`)
        .send(createdFlowView(flow));
    },
  );
}

function flowReadRoutes(app: App, { context, signer }: Services): void {
  const { flows } = context.store;

  app.get(
    "/v1/flows",
    {
      schema: {
        operationId: "listFlows",
        summary: "Flows, newest first, a page at a time.",
        tags,
        querystring: FlowListQuery,
        response: { 200: FlowPageView },
      },
      config: { access: "read", problems: ["bad_cursor", "queue_not_allowed"] },
    },
    async (request) => {
      requireAllQueues(request);
      const { cursor, limit = DEFAULT_FLOW_PAGE, state, name } = request.query;
      const list = `flows ${state ?? ""} ${name ?? ""}`;
      const after = cursor === undefined ? null : decodePlace(signer, list, cursor);
      const filter = { ...(state !== undefined && { state }), ...(name !== undefined && { name }) };
      const { items, next } = await flows.list(filter, limit, after);
      return {
        items: items.map(flowView),
        nextCursor: next === null ? null : encodePlace(signer, list, next),
      };
    },
  );

  app.get(
    "/v1/flows/:id",
    {
      schema: {
        operationId: "getFlow",
        summary: "One flow, and how many of its jobs are in which state.",
        tags,
        params: FlowParams,
        response: { 200: FlowDetailView },
      },
      config: { access: "follow", problems: [...problems, "queue_not_allowed"] },
    },
    async (request) => {
      requireAllQueues(request);
      const { id } = request.params;
      const flow = await flows.get(id);
      if (flow === null) throw flowNotFound(id);
      return flowDetailView(flow);
    },
  );
}

function flowJobRoute(app: App, { context, signer }: Services): void {
  app.get(
    "/v1/flows/:id/jobs",
    {
      schema: {
        operationId: "listFlowJobs",
        summary: "The jobs of a flow with what each depends on, in the order of their ids.",
        tags,
        params: FlowParams,
        querystring: FlowPageQuery,
        response: { 200: FlowJobPageView },
      },
      config: { access: "follow", problems: [...problems, "bad_cursor"] },
    },
    async (request) => {
      const { id } = request.params;
      const { cursor, limit = DEFAULT_FLOW_JOB_PAGE } = request.query;
      const list = `jobs of flow ${id}`;
      const after = cursor === undefined ? null : decodePlace(signer, list, cursor);
      const page = await context.store.flows.jobs(id, limit, after);
      if (page === null) throw flowNotFound(id);
      const isVisible = (queue: string): boolean => covers(request, queue);
      return {
        items: page.items.filter(({ queue }) => isVisible(queue)).map((job) => flowJobView(job, isVisible)),
        nextCursor: page.next === null ? null : encodePlace(signer, list, page.next),
      };
    },
  );
}

function flowVerbRoutes(app: App, { context }: Services): void {
  const verb = (
    name: string,
    operationId: string,
    summary: string,
    act: (context: EngineContext, id: string) => Promise<number>,
  ): void => {
    app.post(
      `/v1/flows/:id/${name}`,
      {
        schema: { operationId, summary, tags, params: FlowParams, response: { 200: FlowChangedView } },
        config: { access: "operate", problems: [...problems, "queue_not_allowed"] },
      },
      async (request) => {
        requireAllQueues(request);
        const { id } = request.params;
        const changed = await act(context, id);
        const flow = await context.store.flows.get(id);
        if (flow === null) throw flowNotFound(id);
        return { changed, flow: flowView(flow) };
      },
    );
  };
  verb("cancel", "cancelFlow", "Cancel every job of a flow that has not ended.", cancelFlow);
  verb("retry", "retryFlow", "Start every dead and every cancelled job of a flow over.", retryFlow);
}
