import { Type } from "typebox";
import { JobId } from "../../api/fields.js";
import { AttemptListView, JobDetailView, LogPageView } from "../../api/job.js";
import { DEFAULT_LOG_PAGE, LogQuery } from "../../api/job-list.js";
import { KonveierError } from "../../core/errors.js";
import type { Job } from "../../core/job.js";
import { jobNotFound } from "../../engine/job-change.js";
import type { Store } from "../../store/store.js";
import { requireVisibleJob } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { attemptView, jobDetailView, logLineView } from "../views/job.js";

export const JobParams = Type.Object({ id: JobId });

const tags = ["jobs"];
const problems = ["job_not_found"] as const;

/** Looking at one job. */
export function jobRoutes(app: App, services: Services): void {
  jobDetailRoutes(app, services);
  jobHistoryRoutes(app, services);
}

function jobDetailRoutes(app: App, { context: { store } }: Services): void {
  app.get(
    "/v1/jobs/:id",
    {
      schema: {
        operationId: "getJob",
        summary: "All about one job but payload and result.",
        tags,
        params: JobParams,
        response: { 200: JobDetailView },
      },
      config: { access: "follow", problems },
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      const job = await store.jobs.detail(id);
      if (job === null) throw jobNotFound(id);
      return jobDetailView(job);
    },
  );

  app.get(
    "/v1/jobs/:id/payload",
    {
      schema: {
        operationId: "getJobPayload",
        summary: "The payload, exactly the JSON text that is stored.",
        tags,
        params: JobParams,
        response: { 200: Type.Unknown() },
      },
      config: { access: "read", problems },
    },
    async (request, reply) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      const payload = await store.jobs.payload(id);
      if (payload === null) throw jobNotFound(id);
      return reply.type("application/json").send(payload);
    },
  );

  app.get(
    "/v1/jobs/:id/result",
    {
      schema: {
        operationId: "getJobResult",
        summary: "The result, exactly the JSON text that is stored.",
        tags,
        params: JobParams,
        response: { 200: Type.Unknown() },
      },
      config: { access: "follow", problems: [...problems, "not_found"] },
    },
    async (request, reply) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      const { state } = await existing(store, id);
      const result = await store.jobs.result(id);
      if (result !== null) return reply.type("application/json").send(result);
      throw new KonveierError("not_found", `Job ${id} is ${state} and has no result.`);
    },
  );
}

function jobHistoryRoutes(app: App, { context: { store } }: Services): void {
  app.get(
    "/v1/jobs/:id/attempts",
    {
      schema: {
        operationId: "listJobAttempts",
        summary: "Every attempt of the job that is kept, with its error.",
        tags,
        params: JobParams,
        response: { 200: AttemptListView },
      },
      config: { access: "read", problems },
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      await existing(store, id);
      return { items: (await store.jobs.attempts(id)).map(attemptView) };
    },
  );

  app.get(
    "/v1/jobs/:id/logs",
    {
      schema: {
        operationId: "listJobLogs",
        summary: "What the job's handler logged.",
        tags,
        params: JobParams,
        querystring: LogQuery,
        response: { 200: LogPageView },
      },
      config: { access: "read", problems },
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      await existing(store, id);
      const { after = 0, limit = DEFAULT_LOG_PAGE } = request.query;
      return { items: (await store.jobs.logs(id, after, limit)).map(logLineView) };
    },
  );
}

/** @throws KonveierError `job_not_found` */
export async function existing(store: Store, id: string): Promise<Job> {
  const job = await store.jobs.get(id);
  if (job === null) throw jobNotFound(id);
  return job;
}
