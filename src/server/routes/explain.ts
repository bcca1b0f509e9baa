import { ExplanationView } from "../../api/explanation.js";
import { explain } from "../../engine/explain.js";
import { covers, requireVisibleJob } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { explanationView } from "../views/explanation.js";
import { JobParams } from "./jobs.js";

/** Why one job is not running. */
export function explainRoute(app: App, { context }: Services): void {
  app.get(
    "/v1/jobs/:id/explain",
    {
      schema: {
        operationId: "explainJob",
        summary: "Why the job is not running, or that it is, or how it ended.",
        tags: ["jobs"],
        params: JobParams,
        response: { 200: ExplanationView },
      },
      config: { access: "read", problems: ["job_not_found"] },
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(context.store, request, id);
      return explanationView(await explain(context, id, (queue) => covers(request, queue)));
    },
  );
}
