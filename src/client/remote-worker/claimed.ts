import type { ClaimedJobView, ClaimView } from "../../api/claim.js";
import type { Clock } from "../../core/clock.js";
import type { ClaimedJob } from "../../core/job.js";
import { Run } from "../../core/run.js";

/**
 * The runs of a claim. What is left of a lease is measured by the server's clock alone, and counted from
 * before the request was sent: never longer than the server thinks, whatever this machine's clock shows.
 */
export function runsOf(
  { jobs, serverTime }: ClaimView,
  clock: Clock,
  sentAt: number,
): readonly (readonly [Run, string])[] {
  return jobs.map((view) => {
    const leftMs = Date.parse(view.leaseExpiresAt) - Date.parse(serverTime);
    return [new Run(jobOf(view), clock, sentAt + leftMs), view.leaseToken] as const;
  });
}

function jobOf(view: ClaimedJobView): ClaimedJob {
  const { schedule } = view;
  return {
    id: view.id,
    queue: view.queue,
    name: view.name,
    priority: view.priority,
    attempt: view.attempt,
    maxAttempts: view.maxAttempts,
    failures: view.failures,
    createdAt: Date.parse(view.createdAt),
    runAt: Date.parse(view.runAt),
    startedAt: Date.parse(view.startedAt),
    token: view.token,
    leaseExpiresAt: Date.parse(view.leaseExpiresAt),
    payload: JSON.stringify(view.payload),
    timeoutMs: view.timeoutMs,
    backoff: view.backoff,
    schedule: schedule === null ? null : { key: schedule.key, slot: Date.parse(schedule.slot) },
    flow: view.flow,
    traceparent: view.traceparent,
    tracestate: view.tracestate,
  };
}
