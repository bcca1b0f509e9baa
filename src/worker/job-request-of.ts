import type { JobRequest, JobSettings } from "../core/job-request.js";
import type { JobDefinition } from "./define-job.js";
import { validatePayload } from "./payload-schema.js";

/** The request for a job of this definition, or of this name, with the definition's defaults. */
export async function jobRequestOf<Payload>(
  job: JobDefinition<Payload> | string,
  payload: Payload,
  settings: JobSettings,
): Promise<JobRequest> {
  if (typeof job === "string") return { ...settings, name: job, payload };
  const { name, schema } = job;
  const policy = typeof job.backoff === "function" ? undefined : job.backoff;
  // A setting that is there and undefined takes the definition's default too.
  const {
    queue = job.queue,
    maxAttempts = job.maxAttempts,
    timeoutMs = job.timeoutMs,
    backoff = policy,
  } = settings;
  return {
    ...settings,
    queue,
    maxAttempts,
    timeoutMs,
    backoff,
    name,
    payload: schema === undefined ? payload : await validatePayload(schema, payload),
  };
}
