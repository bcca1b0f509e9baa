import type { JobRequest, JobSettings } from "../core/job-request.js";
import type { JobDefinition } from "../core/define-job.js";
import { validatePayload, validatePayloadNow } from "../core/payload-schema.js";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The request for a job of this definition, or of this name, with the definition's defaults. */
export async function jobRequestOf<Payload>(
  job: JobDefinition<Payload> | string,
  payload: Payload,
  settings: JobSettings,
): Promise<JobRequest> {
  const request = uncheckedRequestOf(job, payload, settings);
  if (typeof job !== "string" && job.schema !== undefined) {
    request.payload = await validatePayload(job.schema, payload);
  }
  return request;
}

/** As `jobRequestOf`, at once. @throws TypeError for a schema that answers later */
export function jobRequestNow<Payload>(
  job: JobDefinition<Payload> | string,
  payload: Payload,
  settings: JobSettings,
): JobRequest {
  const request = uncheckedRequestOf(job, payload, settings);
  if (typeof job !== "string" && job.schema !== undefined) {
    request.payload = validatePayloadNow(job.schema, payload);
  }
  return request;
}

function uncheckedRequestOf<Payload>(
  job: JobDefinition<Payload> | string,
  payload: Payload,
  settings: JobSettings,
): Mutable<JobRequest> {
  // Copied last and corrected then: an object that begins with a copy takes fifty times as long to make.
  const request: Mutable<JobRequest> = { name: "", payload, ...settings };
  request.payload = payload;
  if (typeof job === "string") {
    request.name = job;
    return request;
  }
  const { name } = job;
  const policy = typeof job.backoff === "function" ? undefined : job.backoff;
  // A setting that is there and undefined takes the definition's default too.
  const {
    queue = job.queue,
    maxAttempts = job.maxAttempts,
    timeoutMs = job.timeoutMs,
    backoff = policy,
  } = settings;
  request.name = name;
  request.queue = queue;
  request.maxAttempts = maxAttempts;
  request.timeoutMs = timeoutMs;
  request.backoff = backoff;
  return request;
}
