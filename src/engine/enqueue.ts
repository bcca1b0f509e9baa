import { MAX_BATCH } from "../core/defaults.js";
import { KonveierError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import type { Enqueued } from "../core/job.js";
import {
  checkJobRequest,
  validationError,
  type CheckedSettings,
  type JobRequest,
} from "../core/job-request.js";
import { encodeJson } from "../core/payload.js";
import type { TraceContext } from "../core/trace-context.js";
import { traceEnqueue } from "../core/tracing.js";
import type { NewJob } from "../store/jobs.js";
import type { Store } from "../store/store.js";
import type { EngineContext } from "./context.js";

/**
 * Accepts a job. When the promise resolves, the job is durable.
 *
 * @param given where in a trace the request was made
 * @returns the new job, or the one that the idempotency key belongs to
 * @throws KonveierError `validation_failed`, `payload_…`, `idempotency_key_reused`, `store_…`
 */
export function enqueue(
  context: EngineContext,
  request: JobRequest,
  given: TraceContext | null = null,
): Promise<Enqueued> {
  const { store, tracer } = context;
  if (tracer === null) return insert(store, request, given);
  return traceEnqueue(
    tracer,
    [request],
    given,
    (trace) => insert(store, request, trace),
    ({ id }) => id,
  );
}

async function insert(store: Store, request: JobRequest, trace: TraceContext | null): Promise<Enqueued> {
  const [inserted] = await store.jobs.insertMany([toNewJob(request, "", trace)]);
  if (inserted === undefined) throw new Error("The store answered an insert with nothing");
  return inserted;
}

/**
 * Accepts up to 1000 jobs, all or none. The answer is in the order of the requests.
 *
 * @throws KonveierError as `enqueue`; pointers of faults begin with the index of the request
 */
export async function enqueueMany(
  context: EngineContext,
  requests: readonly JobRequest[],
  given: TraceContext | null = null,
): Promise<readonly Enqueued[]> {
  if (requests.length > MAX_BATCH) {
    throw validationError([
      {
        pointer: "",
        code: "out_of_range",
        detail: `holds ${requests.length} jobs, the limit is ${MAX_BATCH}`,
      },
    ]);
  }
  if (requests.length === 0) return [];
  const { store, tracer } = context;
  const insertAll = async (trace: TraceContext | null) => store.jobs.insertMany(toNewJobs(requests, trace));
  if (tracer === null) return insertAll(given);
  return traceEnqueue(tracer, requests, given, insertAll, () => null);
}

function toNewJobs(requests: readonly JobRequest[], trace: TraceContext | null): NewJob[] {
  const jobs: NewJob[] = [];
  const errors: KonveierError[] = [];
  for (const [index, request] of requests.entries()) {
    try {
      jobs.push(toNewJob(request, `/${index}`, trace));
    } catch (error) {
      if (!(error instanceof KonveierError)) throw error;
      errors.push(error);
    }
  }
  const faults = errors.flatMap((error) => error.faults);
  if (faults.length > 0) throw validationError(faults);
  if (errors[0] !== undefined) throw errors[0];
  return jobs;
}

function toNewJob(request: JobRequest, at: string, trace: TraceContext | null): NewJob {
  const settings = checkJobRequest(request, at);
  const { name, idempotencyKey } = request;
  const payload = encodePayload(request.payload, at);
  const idempotency =
    idempotencyKey === undefined
      ? null
      : { key: idempotencyKey, fingerprint: fingerprintOf(name, payload, settings) };
  // Written out: a spread costs more than all checks together, and this is the path of every job.
  return {
    queue: settings.queue,
    name,
    payload,
    priority: settings.priority,
    runAt: settings.runAt,
    delayMs: settings.delayMs,
    maxAttempts: settings.maxAttempts,
    backoff: settings.backoff,
    timeoutMs: settings.timeoutMs,
    tags: settings.tags,
    idempotency,
    schedule: null,
    trace,
  };
}

/** With `delayMs` as it was given: a repeated request means the same delay, not the same instant. */
function fingerprintOf(name: string, payload: string, settings: CheckedSettings): string {
  return fingerprint({
    ...settings,
    tags: settings.tags.toSorted(),
    name,
    payload: JSON.parse(payload) as unknown,
  });
}

function encodePayload(payload: unknown, at: string): string {
  try {
    return encodeJson(payload);
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    throw new KonveierError(error.code, error.message, {
      cause: error,
      faults: [{ pointer: `${at}/payload`, code: error.code, detail: error.message }],
    });
  }
}
