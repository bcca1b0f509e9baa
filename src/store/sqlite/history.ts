import type { Attempt, JobDetail, LogLine, LogLevel, Progress } from "../../core/job.js";
import { toAttempts, toDetail, type AttemptRow, type DetailRow } from "../history.js";
import type { JobRow } from "../rows.js";
import type { Connection } from "./connection.js";

interface DetailOfJob extends DetailRow {
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
    this.#detail = db.prepare<[number], DetailOfJob>(
      `SELECT budget, timeout_ms, backoff, tags, idempotency_key, unique_key, schedule_key, slot, traceparent,
              flow_ref, octet_length(payload) AS payload_bytes, octet_length(result) AS result_bytes, problem,
              reason AS cancelled_for, about AS cancelled_about
       FROM job_specs LEFT JOIN job_results USING (job_id) LEFT JOIN cancellations USING (job_id)
       WHERE job_id = ?`,
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
    return toDetail(row, spec, {
      resultProblem: spec.problem,
      progress: this.#progress.get(row.id) ?? null,
      lastError: this.#lastError.get(row.id) ?? null,
      fingerprint: this.#fingerprint.get(row.id) ?? null,
    });
  }

  payload(id: number): string | null {
    return this.#payload.get(id) ?? null;
  }

  result(id: number): string | null {
    return this.#result.get(id) ?? null;
  }

  attempts(row: JobRow): Attempt[] {
    return toAttempts(row, this.#attempts.all(row.id));
  }

  logs(id: number, afterSeq: number, limit: number): LogLine[] {
    return this.#logs.all(id, afterSeq, limit);
  }
}
