import { NoContent } from "../../api/fields.js";
import { LogsBody, ProgressBody } from "../../api/lease.js";
import { MAX_LOG_MESSAGE_LENGTH, MAX_PROGRESS_MESSAGE_LENGTH } from "../../core/defaults.js";
import { LeaseLostError, type LeaseLossReason } from "../../core/errors.js";
import { storableText } from "../../core/storable-text.js";
import type { ClaimKey } from "../../store/claims.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import type { Services } from "../services.js";
import { JobParams } from "./jobs.js";

const tags = ["workers"];
const config = { access: "work", problems: ["lease_lost"] } as const;

/** What a worker tells about a job that it is working on. */
export function noteRoutes(app: App, { context, signer }: Services): void {
  const { claims } = context.store;

  app.post(
    "/v1/jobs/:id/progress",
    {
      schema: {
        operationId: "reportProgress",
        summary: "Show how far a job is.",
        tags,
        params: JobParams,
        body: ProgressBody,
        response: { 204: NoContent },
      },
      config,
    },
    async ({ params, body }, reply) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const message =
        body.message === undefined ? null : storableText(body.message, MAX_PROGRESS_MESSAGE_LENGTH);
      refuseLost(key, await claims.progress(key, body.percent, message));
      return reply.code(204).send();
    },
  );

  app.post(
    "/v1/jobs/:id/logs",
    {
      schema: {
        operationId: "appendLogs",
        summary: "Add lines to the log of a job.",
        tags,
        params: JobParams,
        body: LogsBody,
        response: { 204: NoContent },
      },
      config,
    },
    async ({ params, body }, reply) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const lines = body.lines.map(({ level, message }) => ({
        level: level ?? ("info" as const),
        message: storableText(message, MAX_LOG_MESSAGE_LENGTH),
      }));
      refuseLost(key, await claims.log(key, lines, body.seq));
      return reply.code(204).send();
    },
  );
}

function refuseLost({ id, token }: ClaimKey, reason: LeaseLossReason | null): void {
  if (reason !== null) throw new LeaseLostError(id, token, reason);
}
