import type { ClaimedJob } from "../../core/job.js";
import type { EngineContext } from "../../engine/context.js";
import { tellSettled } from "../../engine/tell-settled.js";
import type { ClaimRequest, Settled, Settlement } from "../../store/claims.js";

/** Releases jobs that were claimed for a worker which never heard of it. Their attempts are given back. */
export function giveBack(context: EngineContext, claim: ClaimRequest, jobs: readonly ClaimedJob[]): void {
  if (jobs.length === 0) return;
  release(context, claim, jobs).catch((error: unknown) => {
    // The leases end by themselves.
    context.health.failed(error, "giving back jobs whose worker hung up");
  });
}

async function release(
  context: EngineContext,
  claim: ClaimRequest,
  jobs: readonly ClaimedJob[],
): Promise<void> {
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
