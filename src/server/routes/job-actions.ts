import { DeleteQuery } from "../../api/job-list.js";
import { cancel } from "../../engine/cancel.js";
import { deleteJob } from "../../engine/delete.js";
import { retry } from "../../engine/retry.js";
import { runNow } from "../../engine/run-now.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { jobView } from "../views/job.js";
import { JobParams } from "./jobs.js";

/** What people do to single jobs. */
export function jobActionRoutes(app: App, { context }: Services): void {
  const schema = { params: JobParams };

  app.post("/v1/jobs/:id/retry", { schema }, async ({ params }) => jobView(await retry(context, params.id)));

  app.post("/v1/jobs/:id/cancel", { schema }, async ({ params }) =>
    jobView(await cancel(context, params.id)),
  );

  app.post("/v1/jobs/:id/run-now", { schema }, async ({ params }) =>
    jobView(await runNow(context, params.id)),
  );

  app.delete(
    "/v1/jobs/:id",
    { schema: { ...schema, querystring: DeleteQuery } },
    async ({ params, query }, reply) => {
      await deleteJob(context, params.id, query);
      return reply.code(204).send();
    },
  );
}
