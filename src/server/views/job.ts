import type {
  AttemptView,
  EnqueuedJobView,
  JobDetailView,
  JobView,
  LogLineView,
  StepView,
} from "../../api/job.js";
import { formatInstant } from "../../core/instant.js";
import type { Attempt, Enqueued, Instant, Job, JobDetail, JobStep, LogLine, Origin } from "../../core/job.js";

export function instantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

export function originView(origin: Origin | null) {
  return origin === null ? null : { key: origin.key, slot: formatInstant(origin.slot) };
}

/** Named field by field: what a store adds for its own use never reaches clients by itself. */
export function jobView(job: Job): JobView {
  return {
    id: job.id,
    queue: job.queue,
    name: job.name,
    state: job.state,
    priority: job.priority,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    createdAt: formatInstant(job.createdAt),
    runAt: formatInstant(job.runAt),
    startedAt: instantOrNull(job.startedAt),
    finishedAt: instantOrNull(job.finishedAt),
    workerId: job.workerId,
    token: job.token,
    leaseExpiresAt: instantOrNull(job.leaseExpiresAt),
  };
}

export function enqueuedJobView(job: Enqueued): EnqueuedJobView {
  return job.deduplicated ? { ...jobView(job), deduplicated: true } : jobView(job);
}

export function jobDetailView(job: JobDetail): JobDetailView {
  return {
    ...jobView(job),
    timeoutMs: job.timeoutMs,
    backoff: job.backoff,
    tags: [...job.tags],
    idempotencyKey: job.idempotencyKey,
    unique: job.unique,
    expiresAt: instantOrNull(job.expiresAt),
    cancellation: job.cancellation,
    schedule: originView(job.schedule),
    flow: job.flow,
    traceparent: job.traceparent,
    concurrencyKey: job.concurrencyKey,
    rateKey: job.rateKey,
    payloadBytes: job.payloadBytes,
    resultBytes: job.resultBytes,
    resultProblem: job.resultProblem,
    progress: job.progress === null ? null : { ...job.progress, at: formatInstant(job.progress.at) },
    lastError: job.lastError === null ? null : { ...job.lastError, fingerprint: job.fingerprint },
  };
}

export function attemptView(attempt: Attempt): AttemptView {
  return {
    ...attempt,
    startedAt: formatInstant(attempt.startedAt),
    finishedAt: instantOrNull(attempt.finishedAt),
  };
}

export function logLineView(line: LogLine): LogLineView {
  return { ...line, at: formatInstant(line.at) };
}

export function stepView({ seq, name, attempt, at, resultBytes }: JobStep): StepView {
  return { seq, name, attempt, at: formatInstant(at), resultBytes };
}
