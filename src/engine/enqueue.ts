import { setImmediate as nextTurn } from "node:timers/promises";
import { MAX_BATCH } from "../core/defaults.js";
import { KonveierError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import type { Enqueued } from "../core/job.js";
import { keysText } from "../core/job-keys.js";
import { checkJobRequest, validationError, type JobRequest } from "../core/job-request.js";
import { encodeJson } from "../core/payload.js";
import type { TraceContext } from "../core/trace-context.js";
import { traceEnqueue } from "../core/tracing.js";
import type { MaybePromise } from "../core/transactions.js";
import type { JoinedTransaction } from "../store/joined.js";
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
  const job = withKey(toNewJob(request, "", trace), request.idempotencyKey);
  const [inserted] = await store.jobs.insertMany([job]);
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
  refuseTooMany(requests);
  if (requests.length === 0) return [];
  const { store, tracer } = context;
  const insertAll = async (trace: TraceContext | null) => {
    const jobs = toNewJobs(requests, trace);
    const keys = requests.map(({ idempotencyKey }) => idempotencyKey);
    return store.jobs.insertMany(await withKeys(jobs, keys));
  };
  if (tracer === null) return insertAll(given);
  return traceEnqueue(tracer, requests, given, insertAll, () => null);
}

/**
 * Accepts jobs in a transaction of the caller's, all or none: they are durable when that is committed.
 *
 * @throws KonveierError as `enqueueMany`, and `transaction_unusable`
 */
export function enqueueWithin(
  { tracer }: EngineContext,
  joined: JoinedTransaction,
  requests: readonly JobRequest[],
): MaybePromise<readonly Enqueued[]> {
  refuseTooMany(requests);
  const insertAll = (trace: TraceContext | null) =>
    joined.insertMany(
      toNewJobs(requests, trace).map((job, index) => withKey(job, requests[index]?.idempotencyKey)),
    );
  if (tracer === null) return insertAll(null);
  return traceEnqueue(tracer, requests, null, insertAll, ([only]) =>
    requests.length === 1 ? (only?.id ?? null) : null,
  );
}

/** @throws KonveierError `validation_failed` */
function refuseTooMany(requests: readonly JobRequest[]): void {
  if (requests.length <= MAX_BATCH) return;
  const detail = `holds ${requests.length} jobs, the limit is ${MAX_BATCH}`;
  throw validationError([{ pointer: "", code: "out_of_range", detail }]);
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

/** @param at JSON pointer of the request, for the faults */
export function toNewJob(request: JobRequest, at: string, trace: TraceContext | null): NewJob {
  const settings = checkJobRequest(request, at);
  const payload = encodePayload(request.payload, at);
  // Written out: a spread costs more than all checks together, and this is the path of every job.
  return {
    queue: settings.queue,
    name: request.name,
    payload,
    priority: settings.priority,
    runAt: settings.runAt,
    delayMs: settings.delayMs,
    maxAttempts: settings.maxAttempts,
    backoff: settings.backoff,
    timeoutMs: settings.timeoutMs,
    tags: settings.tags,
    unique: settings.unique,
    expiresAt: settings.expiresAt,
    expiresInMs: settings.expiresInMs,
    idempotency: null,
    schedule: null,
    trace,
    keys: keysText(settings),
  };
}

/** The canonical text of so many payloads is made in one turn of the event loop: of a large batch it takes long. */
const TURN_LENGTH = 256 * 1024;

/** Everything was read from the requests before, so what their owner does with them meanwhile changes nothing. */
async function withKeys(jobs: readonly NewJob[], keys: readonly (string | undefined)[]): Promise<NewJob[]> {
  const keyed: NewJob[] = [];
  let length = 0;
  for (const [index, job] of jobs.entries()) {
    const key = keys[index];
    if (key !== undefined) length += job.payload.length;
    if (length > TURN_LENGTH) {
      await nextTurn();
      length = job.payload.length;
    }
    keyed.push(withKey(job, key));
  }
  return keyed;
}

function withKey(job: NewJob, key: string | undefined): NewJob {
  return key === undefined ? job : { ...job, idempotency: { key, fingerprint: fingerprintOf(job) } };
}

/** With `delayMs` as it was given: a repeated request means the same delay, not the same instant. */
export function fingerprintOf(job: NewJob): string {
  const { queue, name, priority, runAt, delayMs, maxAttempts, backoff, timeoutMs, tags } = job;
  const payload = JSON.parse(job.payload) as unknown;
  const settings = { queue, priority, runAt, delayMs, maxAttempts, backoff, timeoutMs };
  return fingerprint({
    ...settings,
    tags: tags.toSorted(),
    name,
    payload,
    // Left out where they are not used: the fingerprints of older versions know nothing of them.
    unique: job.unique ?? undefined,
    expiresAt: job.expiresAt ?? undefined,
    expiresInMs: job.expiresInMs ?? undefined,
    keys: job.keys ?? undefined,
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
