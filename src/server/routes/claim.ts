import { ClaimBody, ClaimView } from "../../api/claim.js";
import { HeartbeatBody, HeartbeatView } from "../../api/lease.js";
import { DEFAULT_LEASE_MS } from "../../core/defaults.js";
import { heartbeatIntervalMs } from "../../core/heartbeat.js";
import { formatInstant } from "../../core/instant.js";
import type { AnyClaim } from "../../engine/claim.js";
import { heartbeat } from "../../engine/heartbeat.js";
import type { ClaimKey, Extended } from "../../store/claims.js";
import { identityOf } from "../access/guard.js";
import { requireQueue } from "../access/queue-limits.js";
import { requireStillGood } from "../access/still-good.js";
import type { App } from "../app.js";
import { claimAnswer } from "../claims/answer.js";
import { Delivery } from "../claims/delivery.js";
import { giveBack, withoutPayload, type TakenJob } from "../claims/give-back.js";
import { readLeaseToken } from "../claims/lease-token.js";
import type { Services } from "../services.js";

/** How a worker gets jobs and keeps them. */
export function claimRoutes(app: App, services: Services): void {
  const { access, context, signer, desk, remoteWorkers, metrics } = services;
  app.post(
    "/v1/claim",
    {
      schema: {
        operationId: "claimJobs",
        summary: "Take jobs, waiting for the first if need be.",
        tags: ["workers"],
        body: ClaimBody,
        response: { 200: ClaimView },
      },
      config: { access: "work", problems: ["draining"], waits: true },
    },
    async (request, reply) => {
      const claim = claimRequestOf(request.body, identityOf(request).tokenId);
      const delivery = new Delivery<readonly TakenJob[]>(request.raw.socket, reply.raw, (jobs) => {
        giveBack(context, claim, jobs);
      });
      for (const queue of claim.queues) requireQueue(request, queue);
      remoteWorkers.claims(claim, request.ip);
      const waitMs = request.body.waitMs ?? 0;
      const jobs = await desk.claim(claim, waitMs, delivery.gone);
      delivery.carry(jobs.map(withoutPayload));
      if (waitMs > 0) await delivery.unless(requireStillGood(access, request));
      const text = claimAnswer(signer, jobs, {
        serverTime: formatInstant(context.store.now()),
        heartbeatMs: heartbeatIntervalMs(claim.leaseMs),
        draining: desk.draining,
      });
      return reply.type("application/json").send(text as unknown as ClaimView);
    },
  );

  app.post(
    "/v1/heartbeat",
    {
      schema: {
        operationId: "heartbeat",
        summary: "Extend leases, each for itself.",
        tags: ["workers"],
        body: HeartbeatBody,
        response: { 200: HeartbeatView },
      },
      config: { access: "work" },
    },
    async (request): Promise<HeartbeatView> => {
      const { body } = request;
      const leaseMs = body.leaseMs ?? DEFAULT_LEASE_MS;
      const keys = body.leases.map(({ id, leaseToken }) => readLeaseToken(signer, id, leaseToken));
      const known = keys.filter((key) => key !== null);
      const extended = await heartbeat(context, known, leaseMs);
      const answers = new Map<ClaimKey, Extended>(known.map((key, index) => [key, extended[index] ?? LOST]));
      const results = body.leases.map(({ id }, index) => {
        const key = keys[index] ?? null;
        return leaseView(id, key === null ? LOST : (answers.get(key) ?? LOST));
      });
      const held = results.filter(({ ok }) => ok).length;
      remoteWorkers.beats(body.workerId, identityOf(request).tokenId, held);
      metrics.process.rejected("heartbeat", results.length - held);
      return { results, heartbeatMs: heartbeatIntervalMs(leaseMs), draining: desk.draining };
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

function claimRequestOf(
  { workerId, claimId, queues, names, max, leaseMs }: ClaimBody,
  claimant: string,
): AnyClaim & { readonly claimant: string } {
  const request = {
    workerId,
    claimant,
    queues,
    names: names ?? null,
    max: max ?? 1,
    leaseMs: leaseMs ?? DEFAULT_LEASE_MS,
  };
  return claimId === undefined ? request : { ...request, claimId };
}
