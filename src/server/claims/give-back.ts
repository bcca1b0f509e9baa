import type { ClaimedJob } from "../../core/job.js";
import type { EngineContext } from "../../engine/context.js";
import { tellSettled } from "../../engine/tell-settled.js";

/** Releases jobs that were claimed for a worker which never heard of it. Their attempts are given back. */
export function giveBack(context: EngineContext, workerId: string, jobs: readonly ClaimedJob[]): void {
  release(context, workerId, jobs).catch((error: unknown) => {
    // The leases end by themselves.
    context.health.failed(error, "giving back jobs whose worker hung up");
  });
}

async function release(context: EngineContext, workerId: string, jobs: readonly ClaimedJob[]): Promise<void> {
  const releases = jobs.map(({ id, token }) => ({ verb: "release", id, token }) as const);
  const settled = await context.store.claims.settle(releases);
  for (const [index, job] of jobs.entries()) {
    const said = releases[index];
    if (said !== undefined && settled[index]?.ok === true) tellSettled(context, job, workerId, said);
  }
}
