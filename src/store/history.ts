import type {
  Attempt,
  AttemptOutcome,
  Cancellation,
  CancellationReason,
  JobDetail,
  Progress,
} from "../core/job.js";
import { parseKeys } from "../core/job-keys.js";
import type { StoredError } from "../core/stored-error.js";
import { parseScopedKey } from "../core/unique.js";
import { parseBackoff, toFlowPlace, toJob, toOrigin, type JobRow, type SpecRow } from "./rows.js";

/** A row of `attempts`. */
export interface AttemptRow {
  readonly token: number;
  readonly number: number;
  readonly worker_id: string;
  readonly started_at: number;
  readonly finished_at: number;
  readonly outcome: AttemptOutcome;
  readonly error: string | null;
  readonly retry_delay_ms: number | null;
}

/** What is kept of a job in single rows beside its hot one. */
export interface DetailRow extends SpecRow {
  readonly payload_bytes: number;
  readonly result_bytes: number | null;
  /** Of its row in `cancellations`; both `null` where it has none. */
  readonly cancelled_for: CancellationReason | null;
  readonly cancelled_about: number | null;
}

/** What a job has besides, as it is told. */
export type MoreOfJob = Pick<JobDetail, "resultProblem" | "fingerprint"> & {
  readonly progress: Progress | null;
  /** JSON text. */
  readonly lastError: string | null;
};

export function toDetail(row: JobRow, spec: DetailRow, more: MoreOfJob): JobDetail {
  return {
    ...toJob(row),
    timeoutMs: spec.timeout_ms,
    backoff: parseBackoff(spec.backoff),
    tags: spec.tags === null ? [] : (JSON.parse(spec.tags) as string[]),
    idempotencyKey: spec.idempotency_key,
    unique: spec.unique_key === null ? null : parseScopedKey(spec.unique_key),
    expiresAt: row.expires_at,
    cancellation: row.state === "cancelled" ? toCancellation(spec) : null,
    schedule: toOrigin(spec.schedule_key, spec.slot),
    flow: toFlowPlace(row.flow_id, spec.flow_ref),
    traceparent: spec.traceparent,
    ...parseKeys(row.keys),
    payloadBytes: spec.payload_bytes,
    resultBytes: spec.result_bytes,
    resultProblem: more.resultProblem,
    progress: more.progress,
    lastError: parseError(more.lastError),
    fingerprint: more.fingerprint,
  };
}

/** What is cancelled by hand has no row of its own. */
function toCancellation({ cancelled_for: reason, cancelled_about: about }: DetailRow): Cancellation {
  return { reason: reason ?? "by_hand", about: about === null ? null : String(about) };
}

/** All attempts of a job, oldest first. */
export function toAttempts(row: JobRow, ended: readonly AttemptRow[]): Attempt[] {
  const attempts = ended.map((attempt): Attempt => ({
    number: attempt.number,
    token: attempt.token,
    workerId: attempt.worker_id,
    startedAt: attempt.started_at,
    finishedAt: attempt.finished_at,
    outcome: attempt.outcome,
    error: parseError(attempt.error),
    retryDelayMs: attempt.retry_delay_ms,
  }));
  const latest = latestAttempt(row);
  return latest === null ? attempts : [...attempts, latest];
}

/** The attempt that has no row of its own yet: the running one, or the one that succeeded. */
function latestAttempt(row: JobRow): Attempt | null {
  if ((row.state !== "running" && row.state !== "completed") || row.started_at === null) return null;
  return {
    number: row.attempt,
    token: row.token,
    workerId: row.worker_id ?? "",
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    outcome: row.state,
    error: null,
    retryDelayMs: null,
  };
}

function parseError(text: string | null): StoredError | null {
  return text === null ? null : (JSON.parse(text) as StoredError);
}
