import type { JobRequest } from "../core/job-request.js";

/** A job as it is sent: instants travel as text. */
export function wireRequest({ runAt, ...job }: Pick<JobRequest, "runAt">): object {
  return runAt === undefined ? job : { ...job, runAt: typeof runAt === "string" ? runAt : new Date(runAt) };
}
