import { Type } from "typebox";
import { JobId } from "../../api/fields.js";
import { DEFAULT_LOG_PAGE, LogQuery } from "../../api/job-list.js";
import { KonveierError } from "../../core/errors.js";
import type { Job } from "../../core/job.js";
import { jobNotFound } from "../../engine/job-change.js";
import type { Store } from "../../store/store.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { attemptView, jobDetailView, logLineView } from "../views/job.js";

export const JobParams = Type.Object({ id: JobId });

/** Looking at one job. */
export function jobRoutes(app: App, { context }: Services): void {
  const { store } = context;

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
