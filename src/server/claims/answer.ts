import type { ClaimedJobView, ClaimView } from "../../api/claim.js";
import { formatInstant } from "../../core/instant.js";
import type { ClaimedJob } from "../../core/job.js";
import { originView } from "../views/job.js";
import type { Signer } from "../signer.js";
import { leaseTokenOf } from "./lease-token.js";

/**
 * The answer to a claim, as JSON text. Payloads go in as the text that is stored: parsing and writing
 * them again would cost time and could change them.
 */
export function claimAnswer(
  signer: Signer,
  jobs: readonly ClaimedJob[],
  about: Omit<ClaimView, "jobs">,
): string {
  const texts = jobs.map((job) => {
    const head = JSON.stringify(claimedJobView(signer, job));
    return `${head.slice(0, -1)},"payload":${job.payload}}`;
  });
  return `{"jobs":[${texts.join(",")}],${JSON.stringify(about).slice(1)}`;
}

function claimedJobView(signer: Signer, job: ClaimedJob): Omit<ClaimedJobView, "payload"> {
  return {
    id: job.id,
    queue: job.queue,
    name: job.name,
    priority: job.priority,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    failures: job.failures,
    createdAt: formatInstant(job.createdAt),
    runAt: formatInstant(job.runAt),
    startedAt: formatInstant(job.startedAt),
    token: job.token,
    leaseToken: leaseTokenOf(signer, job),
    leaseExpiresAt: formatInstant(job.leaseExpiresAt),
    timeoutMs: job.timeoutMs,
    backoff: job.backoff,
    schedule: originView(job.schedule),
    flow: job.flow,
    traceparent: job.traceparent,
    tracestate: job.tracestate,
  };
}
