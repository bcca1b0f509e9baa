import {
  CompleteBody,
  CompletedView,
  FailBody,
  FailedView,
  ReleaseBody,
  SettledView,
  SnoozeBody,
} from "../../api/lease.js";
import { formatInstant } from "../../core/instant.js";
import type { Settled } from "../../store/claims.js";
import type { App } from "../app.js";
import { claimKeyOf } from "../claims/lease-token.js";
import { completionOf, storedErrorOf } from "../claims/said.js";
import { failClaim, settleClaim } from "../claims/settle-claim.js";
import type { Services } from "../services.js";
import { JobParams } from "./jobs.js";

/** A result may be larger than what is kept: the work is done, and is accepted without it. */
export const COMPLETE_BODY_LIMIT = 8 * 1024 * 1024;

const tags = ["workers"];
const config = { access: "work", problems: ["lease_lost"] } as const;

/** How a worker ends its claims. */
export function settlementRoutes(app: App, { context, signer }: Services): void {
  app.post(
    "/v1/jobs/:id/complete",
    {
      schema: {
        operationId: "completeJob",
        summary: "Say that the work is done.",
        tags,
        params: JobParams,
        body: CompleteBody,
        response: { 200: CompletedView },
      },
      bodyLimit: COMPLETE_BODY_LIMIT,
      config: { ...config, hasResults: true },
    },
    async ({ params, body, resultFaults }) => {
      const key = claimKeyOf(signer, params.id, body.leaseToken);
      const settlement = completionOf(key, body, resultFaults?.get(0));
      const { state } = await settleClaim(context, settlement);
      return { state, resultProblem: settlement.resultProblem };
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
        summary: "Give a job back unfinished; the attempt does not count.",
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
        summary: "Give a job back to run later; the attempt does not count.",
        tags,
        params: JobParams,
        body: SnoozeBody,
        response: { 200: SettledView },
      },
      config,
    },
    async ({ params, body: { leaseToken, ...snooze } }) => {
      const key = claimKeyOf(signer, params.id, leaseToken);
      return settledView(await settleClaim(context, { verb: "snooze", ...key, ...snooze }));
    },
  );
}

function settledView({ state, runAt }: Extract<Settled, { ok: true }>) {
  return { state, runAt: formatInstant(runAt) };
}
