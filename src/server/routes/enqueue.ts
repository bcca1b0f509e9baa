import { BatchBody, JobRequestBody } from "../../api/job-request.js";
import { withFaultsUnder } from "../../core/faults-under.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { enqueuedJobView } from "../views/job.js";

const BATCH_BODY_LIMIT = 8 * 1024 * 1024;

export function enqueueRoutes(app: App, { context }: Services): void {
  app.post("/v1/jobs", { schema: { body: JobRequestBody } }, async ({ body }, reply) => {
    const inserted = await enqueue(context, body);
    return reply
      .code(inserted.deduplicated ? 200 : 201)
      .header("Location", `/v1/jobs/${inserted.id}`)
      .send(enqueuedJobView(inserted));
  });

  app.post(
    "/v1/jobs/batch",
    { schema: { body: BatchBody }, bodyLimit: BATCH_BODY_LIMIT },
    async ({ body }, reply) => {
      const inserted = await withFaultsUnder("/jobs", enqueueMany(context, body.jobs));
      return reply.code(201).send({ items: inserted.map(enqueuedJobView) });
    },
  );
}
