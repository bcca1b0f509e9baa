import { KonveierError } from "../core/errors.js";
import type { Job } from "../core/job.js";
import type { JobChange } from "../store/jobs.js";

/** The job after a change by hand. @throws KonveierError `job_not_found`, `invalid_state` */
export function changedJob(id: string, change: JobChange, refusal: (job: Job) => string): Job {
  if (change.outcome === "missing") throw jobNotFound(id);
  if (change.outcome === "refused") throw new KonveierError("invalid_state", refusal(change.job));
  return change.job;
}

export function jobNotFound(id: string): KonveierError {
  return new KonveierError(
    "job_not_found",
    `There is no job ${id}. It may have been deleted or removed by retention.`,
  );
}
