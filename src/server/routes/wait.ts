import { Type } from "typebox";
import { DEFAULT_RESULT_WAIT_MS, WaitQuery, WaitView } from "../../api/event.js";
import type { JobDetail } from "../../core/job.js";
import { isFinished } from "../../core/states.js";
import { requireVisibleJob } from "../access/queue-limits.js";
import { requireStillGood } from "../access/still-good.js";
import type { App } from "../app.js";
import { Delivery } from "../claims/delivery.js";
import type { Services } from "../services.js";
import { jobDetailView } from "../views/job.js";
import { JobParams } from "./jobs.js";

/** Waiting for one job's result. */
export function waitRoute(app: App, { access, context, waits }: Services): void {
  app.get(
    "/v1/jobs/:id/wait",
    {
      schema: {
        operationId: "waitForJob",
        summary: "Wait until a job has finished, and get its result.",
        tags: ["jobs"],
        params: JobParams,
        querystring: WaitQuery,
        response: { 200: Type.Unsafe<string>(WaitView) },
      },
      config: { access: "follow", problems: ["job_not_found"], waits: true },
    },
    async (request, reply) => {
      const {
        params: { id },
        query,
        raw,
      } = request;
      await requireVisibleJob(context.store, request, id);
      const { gone } = new Delivery<undefined>(raw.socket, reply.raw, () => undefined);
      const job = await waits.untilFinished(id, query.timeoutMs ?? DEFAULT_RESULT_WAIT_MS, gone);
      await requireStillGood(access, request);
      const result = isFinished(job.state) ? await context.store.jobs.result(id) : null;
      return reply.type("application/json").send(waitAnswer(job, result));
    },
  );
}

/** As JSON text: the result goes in as it is stored. */
function waitAnswer(job: JobDetail, result: string | null): string {
  const view = { ...jobDetailView(job), finished: isFinished(job.state) };
  return `${JSON.stringify(view).slice(0, -1)},"result":${result ?? "null"}}`;
}
