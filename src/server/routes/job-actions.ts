import { NoContent } from "../../api/fields.js";
import { JobView } from "../../api/job.js";
import { DeleteQuery } from "../../api/job-list.js";
import type { Job } from "../../core/job.js";
import { cancel } from "../../engine/cancel.js";
import type { EngineContext } from "../../engine/context.js";
import { deleteJob } from "../../engine/delete.js";
import { retry } from "../../engine/retry.js";
import { runNow } from "../../engine/run-now.js";
import { requireVisibleJob } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { jobView } from "../views/job.js";
import { JobParams } from "./jobs.js";

const tags = ["jobs"];
const config = { access: "operate", problems: ["job_not_found", "invalid_state"] } as const;

/** What people do to single jobs. */
export function jobActionRoutes(app: App, { context }: Services): void {
  const { store } = context;

  const action = (
    verb: string,
    operationId: string,
    summary: string,
    act: (context: EngineContext, id: string) => Promise<Job>,
  ): void => {
    app.post(
      `/v1/jobs/:id/${verb}`,
      { schema: { operationId, summary, tags, params: JobParams, response: { 200: JobView } }, config },
      async (request) => {
        await requireVisibleJob(store, request, request.params.id);
        return jobView(await act(context, request.params.id));
      },
    );
  };
  action("retry", "retryJob", "Give a dead or cancelled job a fresh budget of attempts.", retry);
  action("cancel", "cancelJob", "End a job that has not finished.", cancel);
  action("run-now", "runJobNow", "Let a scheduled job be claimed now.", runNow);

  app.delete(
    "/v1/jobs/:id",
    {
      schema: {
        operationId: "deleteJob",
        summary: "Remove a job with all that is kept of it.",
        tags,
        params: JobParams,
        querystring: DeleteQuery,
        response: { 204: NoContent },
      },
      config,
    },
    async (request, reply) => {
      await requireVisibleJob(store, request, request.params.id);
      await deleteJob(context, request.params.id, request.query);
      return reply.code(204).send();
    },
  );
}
