import { Type } from "typebox";
import { JobId, NoContent } from "../../api/fields.js";
import { StepListView } from "../../api/job.js";
import { FindStepBody, FoundStepView, StoreStepBody } from "../../api/lease.js";
import { KonveierError, LeaseLostError, type LeaseLossReason } from "../../core/errors.js";
import { encodeJson } from "../../core/payload.js";
import type { FoundStep } from "../../core/steps.js";
import type { ClaimKey } from "../../store/claims.js";
import { requireVisibleJob } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import type { Services } from "../services.js";
import { stepView } from "../views/job.js";
import { existing, JobParams } from "./jobs.js";

/** The durable steps of a job: what a worker says of them, and what others see. */
export function stepRoutes(app: App, services: Services): void {
  workerRoutes(app, services);
  readerRoutes(app, services);
}

function workerRoutes(app: App, { context: { store }, signer }: Services): void {
  const tags = ["workers"];

  app.post(
    "/v1/jobs/:id/steps/find",
    {
      schema: {
        operationId: "findStep",
        summary: "Ask whether a step of a job is done, before it is done once more.",
        tags,
        params: JobParams,
        body: FindStepBody,
        response: { 200: Type.Unsafe<string>(FoundStepView) },
      },
      config: { access: "work", problems: ["lease_lost", "too_many_steps"] },
    },
    async ({ params, body }, reply) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const found = await store.steps.find(key, body.name);
      if (typeof found === "string") throw lost(key, found);
      return reply.type("application/json").send(foundAnswer(found));
    },
  );

  app.post(
    "/v1/jobs/:id/steps",
    {
      schema: {
        operationId: "storeStep",
        summary: "Say that a step of a job is done, so that later attempts skip it.",
        tags,
        params: JobParams,
        body: StoreStepBody,
        response: { 204: NoContent },
      },
      config: {
        access: "work",
        problems: ["lease_lost", "too_many_steps", "payload_too_large", "payload_too_deep"],
      },
    },
    async ({ params, body }, reply) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const result = body.result === undefined ? null : encodeJson(body.result);
      const reason = await store.steps.store(key, body.name, result);
      if (reason !== null) throw lost(key, reason);
      return reply.code(204).send();
    },
  );
}

function readerRoutes(app: App, { context: { store } }: Services): void {
  const tags = ["jobs"];

  app.get(
    "/v1/jobs/:id/steps",
    {
      schema: {
        operationId: "listJobSteps",
        summary: "The steps that the job's handler has done.",
        tags,
        params: JobParams,
        response: { 200: StepListView },
      },
      config: { access: "read", problems: ["job_not_found"] },
    },
    async (request) => {
      const { id } = request.params;
      await requireVisibleJob(store, request, id);
      await existing(store, id);
      return { items: (await store.steps.list(id)).map(stepView) };
    },
  );

  app.get(
    "/v1/jobs/:id/steps/:seq/result",
    {
      schema: {
        operationId: "getStepResult",
        summary: "What a step gave, exactly the JSON text that is stored.",
        tags,
        params: Type.Object({ id: JobId, seq: Type.String() }),
        response: { 200: Type.Unknown() },
      },
      config: { access: "read", problems: ["job_not_found", "not_found"] },
    },
    async (request, reply) => {
      const { id, seq } = request.params;
      await requireVisibleJob(store, request, id);
      await existing(store, id);
      const result = await store.steps.result(id, /^[1-9]\d{0,3}$/.test(seq) ? Number(seq) : 0);
      if (result !== null) return reply.type("application/json").send(result);
      throw new KonveierError("not_found", `Job ${id} has no step ${seq} with a result.`);
    },
  );
}

function lost({ id, token }: ClaimKey, reason: LeaseLossReason): LeaseLostError {
  return new LeaseLostError(id, token, reason);
}

/** As JSON text: the result goes in as it is stored. */
function foundAnswer(step: FoundStep): string {
  if (!step.found || step.result === null) return JSON.stringify({ found: step.found });
  return `{"found":true,"result":${step.result}}`;
}
