import type { EngineContext } from "../../engine/context.js";
import type { ClaimedJob } from "../../core/job.js";
import type { AnyClaim } from "../../engine/claim.js";
import { tellSettled, type SettledJob } from "../../engine/tell-settled.js";
import type { ClaimKey, Settled, Settlement } from "../../store/claims.js";

/** What is needed of a claimed job to give it back. */
export type TakenJob = ClaimKey & SettledJob;

/** While an answer waits for its client, the payloads in it must not be kept a second time. */
export function withoutPayload({ id, token, queue, name, attempt, startedAt }: ClaimedJob): TakenJob {
  return { id, token, queue, name, attempt, startedAt };
}

/** Releases jobs that were claimed for a worker which never heard of it. Their attempts are given back. */
export function giveBack(context: EngineContext, claim: AnyClaim, jobs: readonly TakenJob[]): void {
  if (jobs.length === 0) return;
  release(context, claim, jobs).catch((error: unknown) => {
    // The leases end by themselves.
    context.health.failed(error, "giving back jobs whose worker hung up");
  });
}

async function release(context: EngineContext, claim: AnyClaim, jobs: readonly TakenJob[]): Promise<void> {
  const { claims } = context.store;
  const { workerId, claimId } = claim;
  const releases = jobs.map(({ id, token }): Settlement => ({ verb: "release", id, token }));
  const settled: readonly Settled[] = await (claimId === undefined
    ? claims.settle(releases)
    : claims.giveBack({ ...claim, claimId }, jobs));
  for (const [index, job] of jobs.entries()) {
    const said = releases[index];
    if (said !== undefined && settled[index]?.ok === true) tellSettled(context, job, workerId, said);
  }
}
