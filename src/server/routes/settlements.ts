import {
  CompleteBody,
  CompletedView,
  FailBody,
  FailedView,
  ReleaseBody,
  SettledView,
  SnoozeBody,
} from "../../api/lease.js";
import { MAX_ERROR_MESSAGE_LENGTH, MAX_ERROR_STACK_LENGTH } from "../../core/defaults.js";
import type { KonveierError } from "../../core/errors.js";
import { formatInstant } from "../../core/instant.js";
import { storableText } from "../../core/storable-text.js";
import type { StoredError } from "../../core/stored-error.js";
import { completion } from "../../engine/complete.js";
import type { ClaimKey, Settled, Settlement } from "../../store/claims.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import { failClaim, settleClaim } from "../claims/settle-claim.js";
import type { Services } from "../services.js";
import { JobParams } from "./jobs.js";

/** A result may be larger than what is kept: the work is done, and is accepted without it. */
const COMPLETE_BODY_LIMIT = 8 * 1024 * 1024;
const MAX_ERROR_TYPE_LENGTH = 200;

const tags = ["workers"];
const config = { access: "work", problems: ["lease_lost"] } as const;

/** How a worker ends its claims. */
export function settlementRoutes(app: App, { context, signer }: Services): void {
  app.post(
    "/v1/jobs/:id/complete",
    {
      schema: {
        operationId: "completeJob",
        summary: "Say that the job is done, with its result.",
        tags,
        params: JobParams,
        body: CompleteBody,
        response: { 200: CompletedView },
      },
      bodyLimit: COMPLETE_BODY_LIMIT,
      config: { ...config, allowsInexactNumbers: true },
    },
    async ({ params, body, bodyFault }) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const settlement = completionOf(key, body.result, bodyFault);
      const { state } = await settleClaim(context, settlement);
      return { state, resultProblem: settlement.verb === "complete" ? settlement.resultProblem : null };
    },
  );

  app.post(
    "/v1/jobs/:id/fail",
    {
      schema: {
        operationId: "failJob",
        summary: "Say that the attempt failed.",
        tags,
        params: JobParams,
        body: FailBody,
        response: { 200: FailedView },
      },
      config,
    },
    async ({ params, body }) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const failed = { outcome: "failed", error: storedErrorOf(body.error) } as const;
      const { attempt, ...settled } = await failClaim(context, key, failed, body.retry ?? "auto");
      return { ...settledView(settled), attempt };
    },
  );

  app.post(
    "/v1/jobs/:id/release",
    {
      schema: {
        operationId: "releaseJob",
        summary: "Give the job back unfinished. The attempt does not count.",
        tags,
        params: JobParams,
        body: ReleaseBody,
        response: { 200: SettledView },
      },
      config,
    },
    async ({ params, body }) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      return settledView(await settleClaim(context, { verb: "release", ...key }));
    },
  );

  app.post(
    "/v1/jobs/:id/snooze",
    {
      schema: {
        operationId: "snoozeJob",
        summary: "Put the job off. The attempt does not count.",
        tags,
        params: JobParams,
        body: SnoozeBody,
        response: { 200: SettledView },
      },
      config,
    },
    async ({ params, body }) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      return settledView(await settleClaim(context, { verb: "snooze", ...key, delayMs: body.delayMs }));
    },
  );
}

/** A number that would change is refused everywhere else. Here the work is done: only its result is not kept. */
function completionOf(key: ClaimKey, result: unknown, bodyFault: KonveierError | null): Settlement {
  if (bodyFault === null) return completion(key, result);
  return { verb: "complete", ...key, result: null, resultProblem: bodyFault.message };
}

function settledView({ state, runAt }: Extract<Settled, { ok: true }>) {
  return { state, runAt: formatInstant(runAt) };
}

function storedErrorOf({
  type,
  message,
  stack,
}: {
  type?: string;
  message: string;
  stack?: string;
}): StoredError {
  return {
    type: storableText(type === undefined || type === "" ? "Error" : type, MAX_ERROR_TYPE_LENGTH),
    message: storableText(message === "" ? "An error without a message" : message, MAX_ERROR_MESSAGE_LENGTH),
    stack: stack === undefined ? null : storableText(stack, MAX_ERROR_STACK_LENGTH),
  };
}
