import { ClaimBody, ClaimView } from "../../api/claim.js";
import { HeartbeatBody, HeartbeatView } from "../../api/lease.js";
import { DEFAULT_LEASE_MS } from "../../core/defaults.js";
import { formatInstant } from "../../core/instant.js";
import type { ClaimedJob } from "../../core/job.js";
import { heartbeat } from "../../engine/heartbeat.js";
import type { ClaimKey, ClaimRequest, Extended } from "../../store/claims.js";
import { requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { claimAnswer } from "../claims/answer.js";
import { Delivery } from "../claims/delivery.js";
import { giveBack } from "../claims/give-back.js";
import { readLeaseToken } from "../claims/lease-token.js";
import type { Services } from "../services.js";

/** How a worker gets jobs and keeps them. */
export function claimRoutes(app: App, { context, signer, desk, remoteWorkers, metrics }: Services): void {
  app.post(
    "/v1/claim",
    {
      schema: {
        operationId: "claimJobs",
        summary: "Take jobs.",
        tags: ["workers"],
        response: { 200: ClaimView },
        body: ClaimBody,
      },
      config: { access: "work", problems: ["draining"], waits: true },
    },
    async (request, reply) => {
      const claim = claimRequestOf(request.body);
      const delivery = new Delivery<readonly ClaimedJob[]>(request.raw.socket, reply.raw, (jobs) => {
        giveBack(context, claim.workerId, jobs);
      });
      for (const queue of claim.queues) requireQueue(request, queue);
      remoteWorkers.claims(claim, request.ip);
      const jobs = await desk.claim(claim, request.body.waitMs ?? 0, delivery.gone);
      delivery.carry(jobs);
      return reply.type("application/json").send(claimAnswer(signer, jobs, context.store.now()) as never);
    },
  );

  app.post(
    "/v1/heartbeat",
    {
      schema: {
        operationId: "heartbeat",
        summary: "Extend leases.",
        tags: ["workers"],
        response: { 200: HeartbeatView },
        body: HeartbeatBody,
      },
      config: { access: "work" },
    },
    async ({ body }) => {
      remoteWorkers.beats(body.workerId, body.leases.length);
      const keys = body.leases.map(({ id, leaseToken }) => readLeaseToken(signer, id, leaseToken));
      const known = keys.filter((key) => key !== null);
      const extended = await heartbeat(context, known, body.leaseMs ?? DEFAULT_LEASE_MS);
      const answers = new Map<ClaimKey, Extended>(known.map((key, index) => [key, extended[index] ?? LOST]));
      const results = body.leases.map(({ id }, index) => {
        const key = keys[index] ?? null;
        return leaseView(id, key === null ? LOST : (answers.get(key) ?? LOST));
      });
      metrics.process.rejected("heartbeat", results.filter(({ ok }) => !ok).length);
      return { results } satisfies HeartbeatView;
    },
  );
}

/** Of a token that no server on this database has handed out for the job. */
const LOST: Extended = { ok: false, reason: "reclaimed" };

function leaseView(id: string, extended: Extended): HeartbeatView["results"][number] {
  return extended.ok
    ? { id, ok: true, leaseExpiresAt: formatInstant(extended.leaseExpiresAt) }
    : { id, ok: false, reason: extended.reason };
}

function claimRequestOf({ workerId, queues, names, max, leaseMs }: ClaimBody): ClaimRequest {
  return {
    workerId,
    queues,
    names: names ?? null,
    max: max ?? 1,
    leaseMs: leaseMs ?? DEFAULT_LEASE_MS,
  };
}
