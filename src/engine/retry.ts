import { KonveierError } from "../core/errors.js";
import type { Job } from "../core/job.js";
import type { JobFilter } from "../store/jobs.js";
import type { EngineContext } from "./context.js";
import { changedJob } from "./job-change.js";

/** Jobs revived in one transaction. */
const BATCH = 500;

/**
 * Gives a dead or cancelled job a fresh budget of attempts and makes it claimable now. Its history
 * stays, attempts are counted on. A job that is pending already is left as it is.
 *
 * @throws KonveierError `job_not_found`, `invalid_state`
 */
export async function retry(context: EngineContext, id: string): Promise<Job> {
  const change = await context.store.jobs.revive(id);
  return changedJob(
    id,
    change,
    ({ state }) => `Job ${id} is ${state}; only dead and cancelled jobs can be retried by hand.`,
  );
}

/**
 * Retries every dead job that matches, in batches. At least one condition is needed, so that a
 * mistake in building the filter cannot retry everything.
 *
 * @returns how many jobs were retried
 * @throws KonveierError `validation_failed`
 */
export async function retryMany(
  context: EngineContext,
  filter: Pick<JobFilter, "queue" | "name" | "tag">,
): Promise<number> {
  const { queue, name, tag } = filter;
  const conditions = [queue, name, tag].filter((value) => value !== undefined);
  const unknown = Object.keys(filter).filter((field) => !["queue", "name", "tag"].includes(field));
  if (conditions.length === 0 || conditions.includes("") || unknown.length > 0) {
    throw new KonveierError(
      "validation_failed",
      'A bulk retry needs a filter of "queue", "name" or "tag", none of them empty.',
    );
  }
  // Jobs that die again meanwhile are not retried again.
  const by = context.store.now();
  let total = 0;
  for (;;) {
    const revived = await context.store.jobs.reviveMany(filter, by, BATCH);
    total += revived;
    if (revived < BATCH) return total;
  }
}
