import type { Attempt, AttemptOutcome, JobDetail, LogLine, LogLevel, Progress } from "../../core/job.js";
import type { StoredError } from "../../core/stored-error.js";
import type { Connection } from "./connection.js";
import { parseBackoff, toJob, toOrigin, type JobRow, type SpecRow } from "../rows.js";

interface AttemptRow {
  readonly token: number;
  readonly number: number;
  readonly worker_id: string;
  readonly started_at: number;
  readonly finished_at: number;
  readonly outcome: AttemptOutcome;
  readonly error: string | null;
  readonly retry_delay_ms: number | null;
}

interface DetailRow extends SpecRow {
  readonly payload_bytes: number;
  readonly result_bytes: number | null;
  readonly problem: string | null;
}

/** Reads what is kept beside the hot row of a job. */
export class History {
  readonly #detail;
  readonly #payload;
  readonly #result;
  readonly #attempts;
  readonly #lastError;
  readonly #fingerprint;
  readonly #progress;
  readonly #logs;

  constructor(db: Connection) {
    this.#detail = db.prepare<[number], DetailRow>(
      `SELECT budget, timeout_ms, backoff, tags, idempotency_key, schedule_key, slot, traceparent,
              octet_length(payload) AS payload_bytes, octet_length(result) AS result_bytes, problem
       FROM job_specs LEFT JOIN job_results USING (job_id) WHERE job_id = ?`,
    );
    this.#payload = db.prepare<[number], string>("SELECT payload FROM job_specs WHERE job_id = ?").pluck();
    this.#result = db
      .prepare<[number], string | null>("SELECT result FROM job_results WHERE job_id = ?")
      .pluck();
    this.#attempts = db.prepare<[number], AttemptRow>(
      "SELECT * FROM attempts WHERE job_id = ? ORDER BY token",
    );
    this.#lastError = db
      .prepare<[number], string>(
        "SELECT error FROM attempts WHERE job_id = ? AND error IS NOT NULL ORDER BY token DESC LIMIT 1",
      )
      .pluck();
    this.#fingerprint = db
      .prepare<[number], string>(
        "SELECT fingerprint FROM dead_jobs JOIN dead_groups ON dead_groups.id = group_id WHERE job_id = ?",
      )
      .pluck();
    this.#progress = db.prepare<[number], Progress>(
      "SELECT percent, message, at FROM job_progress WHERE job_id = ?",
    );
    this.#logs = db.prepare<[number, number, number], LogLine & { level: LogLevel }>(
      `SELECT seq, attempt, at, level, message FROM job_logs
       WHERE job_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    );
  }

  detail(row: JobRow): JobDetail {
    const spec = this.#detail.get(row.id);
    if (spec === undefined) throw new Error(`Job ${row.id} has no payload`);
    return {
      ...toJob(row),
      timeoutMs: spec.timeout_ms,
      backoff: parseBackoff(spec.backoff),
      tags: spec.tags === null ? [] : (JSON.parse(spec.tags) as string[]),
      idempotencyKey: spec.idempotency_key,
      schedule: toOrigin(spec.schedule_key, spec.slot),
      traceparent: spec.traceparent,
      payloadBytes: spec.payload_bytes,
      resultBytes: spec.result_bytes,
      resultProblem: spec.problem,
      progress: this.#progress.get(row.id) ?? null,
      lastError: parseError(this.#lastError.get(row.id)),
      fingerprint: this.#fingerprint.get(row.id) ?? null,
    };
  }

  payload(id: number): string | null {
    return this.#payload.get(id) ?? null;
  }

  result(id: number): string | null {
    return this.#result.get(id) ?? null;
  }

  attempts(row: JobRow): Attempt[] {
    const ended = this.#attempts.all(row.id).map((attempt): Attempt => ({
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
    return latest === null ? ended : [...ended, latest];
  }

  logs(id: number, afterSeq: number, limit: number): LogLine[] {
    return this.#logs.all(id, afterSeq, limit);
  }
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

function parseError(text: string | null | undefined): StoredError | null {
  return text === null || text === undefined ? null : (JSON.parse(text) as StoredError);
}
