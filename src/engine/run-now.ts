import type { Job } from "../core/job.js";
import type { EngineContext } from "./context.js";
import { changedJob } from "./job-change.js";

/**
 * Makes a scheduled job claimable now, whether it waits for its first run or for a retry.
 *
 * @throws KonveierError `job_not_found`, `invalid_state`
 */
export async function runNow(context: EngineContext, id: string): Promise<Job> {
  const change = await context.store.jobs.runNow(id);
  return changedJob(id, change, ({ state }) => `Job ${id} is ${state}, it does not wait for a time.`);
}
