import { BatchBody, JobRequestBody, TraceHeaders } from "../../api/job-request.js";
import { EnqueuedBatchView, EnqueuedJobView } from "../../api/job.js";
import { withFaultsUnder } from "../../core/faults-under.js";
import { readTraceContext, type TraceContext } from "../../core/trace-context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { requireQueuesOf } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { enqueuedJobView } from "../views/job.js";

const BATCH_BODY_LIMIT = 8 * 1024 * 1024;
const tags = ["jobs"];
const config = {
  access: "enqueue",
  problems: [
    "idempotency_key_reused",
    "unique_conflict",
    "queue_full",
    "payload_too_large",
    "payload_too_deep",
    "payload_not_json",
    "number_precision",
  ],
} as const;

export function enqueueRoutes(app: App, { context }: Services): void {
  app.post(
    "/v1/jobs",
    {
      schema: {
        operationId: "enqueueJob",
        summary: "Enqueue a job. It is durable when the answer comes.",
        tags,
        headers: TraceHeaders,
        body: JobRequestBody,
        response: { 200: EnqueuedJobView, 201: EnqueuedJobView },
      },
      config,
    },
    async (request, reply) => {
      requireQueuesOf(request, request.body);
      const inserted = await enqueue(context, request.body, traceOf(request));
      return reply
        .code(inserted.deduplicated ? 200 : 201)
        .header("Location", `/v1/jobs/${inserted.id}`)
        .send(enqueuedJobView(inserted));
    },
  );

  app.post(
    "/v1/jobs/batch",
    {
      schema: {
        operationId: "enqueueJobs",
        summary: "Enqueue many jobs, all or none.",
        tags,
        headers: TraceHeaders,
        body: BatchBody,
        response: { 201: EnqueuedBatchView },
      },
      config,
      bodyLimit: BATCH_BODY_LIMIT,
    },
    async (request, reply) => {
      const { jobs } = request.body;
      for (const job of jobs) requireQueuesOf(request, job);
      const inserted = await withFaultsUnder("/jobs", enqueueMany(context, jobs, traceOf(request)));
      return reply.code(201).send({ items: inserted.map(enqueuedJobView) });
    },
  );
}

export function traceOf({ headers }: { headers: TraceHeaders }): TraceContext | null {
  return readTraceContext(headers.traceparent, headers.tracestate);
}
