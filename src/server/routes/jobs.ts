import { Type } from "typebox";
import { JobId } from "../../api/fields.js";
import { DEFAULT_LOG_PAGE, DEFAULT_PAGE, JobListQuery, LogQuery } from "../../api/job-list.js";
import { KonveierError } from "../../core/errors.js";
import type { Job } from "../../core/job.js";
import { jobNotFound } from "../../engine/job-change.js";
import type { JobFilter } from "../../store/jobs.js";
import type { Store } from "../../store/store.js";
import type { App } from "../app.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import type { Services } from "../services.js";
import { attemptView, jobDetailView, jobView, logLineView } from "../views/job.js";

export const JobParams = Type.Object({ id: JobId });

/** Looking at jobs. */
export function jobRoutes(app: App, { context, signer }: Services): void {
  const { store } = context;

  app.get("/v1/jobs", { schema: { querystring: JobListQuery } }, async ({ query }) => {
    const filter = filterOf(query);
    const after = query.cursor === undefined ? null : decodeCursor(signer, filter, query.cursor);
    const { items, next } = await store.jobs.list(filter, query.limit ?? DEFAULT_PAGE, after);
    return {
      items: items.map(jobView),
      nextCursor: next === null ? null : encodeCursor(signer, filter, next),
    };
  });

  app.get("/v1/jobs/:id", { schema: { params: JobParams } }, async ({ params }) => {
    const job = await store.jobs.detail(params.id);
    if (job === null) throw jobNotFound(params.id);
    return jobDetailView(job);
  });

  app.get("/v1/jobs/:id/payload", { schema: { params: JobParams } }, async ({ params }, reply) => {
    const payload = await store.jobs.payload(params.id);
    if (payload === null) throw jobNotFound(params.id);
    return reply.type("application/json").send(payload);
  });

  app.get("/v1/jobs/:id/result", { schema: { params: JobParams } }, async ({ params }, reply) => {
    const { state } = await existing(store, params.id);
    const result = await store.jobs.result(params.id);
    if (result !== null) return reply.type("application/json").send(result);
    throw new KonveierError("not_found", `Job ${params.id} is ${state} and has no result.`);
  });

  app.get("/v1/jobs/:id/attempts", { schema: { params: JobParams } }, async ({ params }) => {
    await existing(store, params.id);
    const attempts = await store.jobs.attempts(params.id);
    return { items: attempts.map(attemptView) };
  });

  app.get(
    "/v1/jobs/:id/logs",
    { schema: { params: JobParams, querystring: LogQuery } },
    async ({ params, query }) => {
      await existing(store, params.id);
      const lines = await store.jobs.logs(params.id, query.after ?? 0, query.limit ?? DEFAULT_LOG_PAGE);
      return { items: lines.map(logLineView) };
    },
  );
}

/** @throws KonveierError `job_not_found` */
async function existing(store: Store, id: string): Promise<Job> {
  const job = await store.jobs.get(id);
  if (job === null) throw jobNotFound(id);
  return job;
}

function filterOf({ state, queue, name, tag }: JobListQuery): JobFilter {
  return {
    ...(state !== undefined && { state }),
    ...(queue !== undefined && { queue }),
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tag }),
  };
}
