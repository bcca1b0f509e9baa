import type { EngineContext } from "./context.js";
import { changedJob } from "./job-change.js";

/**
 * Removes a job with its payload, result, attempts, log, tags and idempotency key. A running job only
 * with `force`: its handler is aborted with the next heartbeat.
 *
 * @throws KonveierError `job_not_found`, `invalid_state` for a running job without `force`
 */
export async function deleteJob(
  context: EngineContext,
  id: string,
  { force = false }: { force?: boolean } = {},
): Promise<void> {
  const change = await context.store.jobs.delete(id, force);
  changedJob(id, change, () => `Job ${id} is running. Cancel it first, or delete it with force.`);
}
