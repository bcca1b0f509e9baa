import type { Backoff } from "../core/backoff.js";
import type { FlowPlace } from "../core/flow-place.js";
import type { Job, Origin } from "../core/job.js";
import type { JobState } from "../core/states.js";

/** A row of `jobs`. */
export interface JobRow {
  readonly id: number;
  readonly queue: string;
  readonly name: string;
  readonly state: JobState;
  readonly priority: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly created_at: number;
  readonly run_at: number;
  readonly token: number;
  readonly worker_id: string | null;
  readonly started_at: number | null;
  readonly lease_until: number;
  readonly finished_at: number | null;
  readonly expires_at: number | null;
  readonly flow_id: number | null;
  /** What a blocked job still waits for. */
  readonly waiting: number;
  readonly keys: string | null;
}

/** A row of `job_specs`, without the payload. */
export interface SpecRow {
  readonly budget: number;
  readonly timeout_ms: number | null;
  readonly backoff: string | null;
  readonly tags: string | null;
  readonly idempotency_key: string | null;
  /** As `scopedKey` makes it. */
  readonly unique_key: string | null;
  readonly schedule_key: string | null;
  readonly slot: number | null;
  readonly traceparent: string | null;
  readonly flow_ref: string | null;
}

export function toJob(row: JobRow): Job {
  const running = row.state === "running";
  return {
    id: String(row.id),
    queue: row.queue,
    name: row.name,
    state: row.state,
    priority: row.priority,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    createdAt: row.created_at,
    runAt: row.run_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    workerId: row.worker_id,
    token: row.token === 0 ? null : row.token,
    leaseExpiresAt: running ? row.lease_until : null,
  };
}

export function toOrigin(key: string | null, slot: number | null): Origin | null {
  return key === null || slot === null ? null : { key, slot };
}

export function toFlowPlace(flowId: number | null, ref: string | null): FlowPlace | null {
  return flowId === null || ref === null ? null : { id: String(flowId), ref };
}

export function parseBackoff(text: string | null): Backoff | null {
  return text === null ? null : (JSON.parse(text) as Backoff);
}

/**
 * Failures so far in the present budget, before the present attempt. A retry by hand adds a budget to
 * `max_attempts`, so the budget began `budget` attempts before the last one.
 */
export function failuresBefore(attempt: number, maxAttempts: number, budget: number): number {
  return Math.max(0, attempt - 1 - (maxAttempts - budget));
}

const DECIMAL_ID = /^[1-9]\d{0,15}$/;

/** The row id of a public id; `null` for text that cannot be one. */
export function rowId(id: string): number | null {
  if (!DECIMAL_ID.test(id)) return null;
  const value = Number(id);
  return Number.isSafeInteger(value) ? value : null;
}
