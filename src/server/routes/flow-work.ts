import { NoContent } from "../../api/fields.js";
import { ExtendFlowBody } from "../../api/flow.js";
import { TraceHeaders } from "../../api/job-request.js";
import { WaitForJobsBody, WaitForJobsView } from "../../api/lease.js";
import { DEFAULT_QUEUE } from "../../core/defaults.js";
import { LeaseLostError } from "../../core/errors.js";
import { extendFlow } from "../../engine/flows/make.js";
import { hasToWait } from "../../engine/flows/within-job.js";
import { requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import { settleClaim } from "../claims/settle-claim.js";
import type { Services } from "../services.js";
import { traceOf } from "./enqueue.js";
import { FLOW_BODY_LIMIT, FLOW_PROBLEMS } from "./flows.js";
import { JobParams } from "./jobs.js";
import { COMPLETE_BODY_LIMIT } from "./settlements.js";

const tags = ["workers"];
const access = "work";

/** What a worker has to do with the flow of a job that it holds. */
export function flowWorkRoutes(app: App, { context, signer }: Services): void {
  app.post(
    "/v1/jobs/:id/flow-jobs",
    {
      schema: {
        operationId: "addFlowJobs",
        summary: "Add jobs to the flow of a job. Refs that it has already are left as they are.",
        tags,
        params: JobParams,
        headers: TraceHeaders,
        body: ExtendFlowBody,
        response: { 204: NoContent },
      },
      bodyLimit: FLOW_BODY_LIMIT,
      config: { access, hasFlow: true, problems: ["lease_lost", "queue_not_allowed", ...FLOW_PROBLEMS] },
    },
    async (request, reply) => {
      const { leaseToken, jobs } = request.body;
      const key = claimKeyOf(signer, request.params.id, leaseToken);
      for (const { queue } of jobs) requireQueue(request, queue ?? DEFAULT_QUEUE);
      await extendFlow(context, key, jobs, traceOf(request));
      return reply.code(204).send();
    },
  );

  app.post(
    "/v1/jobs/:id/wait",
    {
      schema: {
        operationId: "waitForJobs",
        summary: "Give a job back until others of its flow have ended; the attempt does not count.",
        tags,
        params: JobParams,
        body: WaitForJobsBody,
        response: { 200: WaitForJobsView },
      },
      bodyLimit: COMPLETE_BODY_LIMIT,
      config: { access, problems: ["lease_lost"] },
    },
    async ({ params, body }): Promise<WaitForJobsView> => {
      const { leaseToken, refs, check = false } = body;
      const key = claimKeyOf(signer, params.id, leaseToken);
      const claim = await context.store.claims.current(key);
      if (typeof claim === "string" && check) throw new LeaseLostError(key.id, key.token, claim);
      // A claim that is over may have ended by this very call, whose answer was lost.
      const waiting = typeof claim === "string" || (await hasToWait(context, key.id, refs));
      if (check) return { waiting, state: "running" };
      const { state } = await settleClaim(context, { verb: "wait", ...key, refs });
      return { waiting, state };
    },
  );
}
