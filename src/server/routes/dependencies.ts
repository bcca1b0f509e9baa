import type { FastifyReply, FastifyRequest } from "fastify";
import {
  DEFAULT_FLOW_JOB_PAGE,
  DependantPageView,
  DependenciesBody,
  DependencyPageView,
  FlowPageQuery,
} from "../../api/flow.js";
import { KonveierError } from "../../core/errors.js";
import { jobNotFound } from "../../engine/job-change.js";
import { currentClaim } from "../../engine/settle.js";
import type { Store } from "../../store/store.js";
import { covers, requireVisibleJob } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import { decodePlace, encodePlace } from "../cursor.js";
import type { Services } from "../services.js";
import type { Signer } from "../signer.js";
import { dependencyText, flowLinkView } from "../views/flow.js";
import { JobParams } from "./jobs.js";

/** Results of one page together: a hundred of the largest are more than one answer should hold. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024;

const tags = ["flows"];

/** What a single job depends on, and what depends on it. */
export function dependencyRoutes(app: App, { context, signer }: Services): void {
  const { store } = context;
  const config = {
    access: "follow",
    problems: ["job_not_found", "bad_cursor"],
  } as const;

  app.get(
    "/v1/jobs/:id/dependencies",
    {
      schema: {
        operationId: "listDependencies",
        summary: "What a job depends on or has waited for, with results.",
        tags,
        params: JobParams,
        querystring: FlowPageQuery,
        response: { 200: DependencyPageView },
      },
      config: { ...config, problems: [...config.problems, "queue_not_allowed"] },
    },
    async (request, reply) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      return sendPage(reply, await dependencyPage(store, signer, request, id, request.query));
    },
  );

  app.get(
    "/v1/jobs/:id/dependants",
    {
      schema: {
        operationId: "listDependants",
        summary: "What depends on a job or waits for it.",
        tags,
        params: JobParams,
        querystring: FlowPageQuery,
        response: { 200: DependantPageView },
      },
      config,
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      const { cursor, limit = DEFAULT_FLOW_JOB_PAGE } = request.query;
      const list = `dependants of ${id}`;
      const after = cursor === undefined ? null : decodePlace(signer, list, cursor);
      const page = await store.flows.dependants(id, limit, after);
      if (page === null) throw jobNotFound(id);
      return {
        items: page.items.filter(({ queue }) => covers(request, queue)).map(flowLinkView),
        nextCursor: page.next === null ? null : encodePlace(signer, list, page.next),
      };
    },
  );

  app.post(
    "/v1/jobs/:id/dependencies",
    {
      schema: {
        operationId: "readDependencies",
        summary: "What a job that is held depends on or has waited for, with results.",
        tags: ["workers"],
        params: JobParams,
        body: DependenciesBody,
        response: { 200: DependencyPageView },
      },
      config: { access: "work", problems: ["lease_lost", "bad_cursor", "queue_not_allowed"] },
    },
    async (request, reply) => {
      const key = claimKeyOf(signer, request.params.id, request.body.leaseToken);
      await currentClaim(context, key);
      return sendPage(reply, await dependencyPage(store, signer, request, key.id, request.body));
    },
  );
}

/**
 * Some of the dependencies would be a wrong answer to who works with their results, so a token that does not cover all of
 * their queues gets none.
 *
 * @returns JSON text
 * @throws KonveierError `job_not_found`, `bad_cursor`, `queue_not_allowed`
 */
async function dependencyPage(
  store: Store,
  signer: Signer,
  request: FastifyRequest,
  id: string,
  { cursor, limit = DEFAULT_FLOW_JOB_PAGE }: { readonly cursor?: string; readonly limit?: number },
): Promise<string> {
  const list = `dependencies of ${id}`;
  const after = cursor === undefined ? null : decodePlace(signer, list, cursor);
  const page = await store.flows.dependencies(id, limit, after);
  if (page === null) throw jobNotFound(id);
  const items: string[] = [];
  let bytes = 0;
  let last = after;
  for (const link of page.items) {
    if (!covers(request, link.queue)) {
      throw new KonveierError(
        "queue_not_allowed",
        `Job ${id} depends on jobs of queues that the token does not cover.`,
      );
    }
    bytes += link.result?.length ?? 0;
    if (items.length > 0 && bytes > MAX_RESULT_BYTES) break;
    items.push(dependencyText(link));
    last = link.id;
  }
  const next = items.length < page.items.length ? last : page.next;
  const nextCursor = next === null ? null : encodePlace(signer, list, next);
  return `{"items":[${items.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

function sendPage(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json").send(json);
}
