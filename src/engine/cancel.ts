import type { Job } from "../core/job.js";
import type { EngineContext } from "./context.js";
import { changedJob } from "./job-change.js";

/**
 * Ends a job that is not finished. A running one is cancelled at once too: its handler's signal aborts
 * with the next heartbeat, and whatever it still reports is refused. Cancelling again is fine.
 *
 * @throws KonveierError `job_not_found`, `invalid_state` when it is completed or dead
 */
export async function cancel(context: EngineContext, id: string): Promise<Job> {
  const change = await context.store.jobs.cancel(id);
  const job = changedJob(id, change, ({ state }) => `Job ${id} is ${state}, so there is nothing to cancel.`);
  if (change.outcome === "changed") {
    context.events.emit("job.cancelled", { id, queue: job.queue, name: job.name });
  }
  return job;
}
