import type { Attempt, Instant, JobDetail, LogLine } from "../../core/job.js";
import { toAttempts, toDetail, type AttemptRow, type DetailRow } from "../history.js";
import type { JobRow } from "../rows.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";

interface JobWithDetails extends JobRow, DetailRow {
  readonly problem: string | null;
  readonly percent: number | null;
  readonly message: string | null;
  readonly progress_at: Instant | null;
  readonly last_error: string | null;
  readonly fingerprint: string | null;
}

/** A job with one of its attempts that ended, if any: what stands in both has a name of its own. */
type JobWithAttempt = JobRow &
  Pick<AttemptRow, "number" | "outcome" | "error" | "retry_delay_ms"> & {
    readonly ended_token: number | null;
    readonly ended_worker_id: string;
    readonly ended_started_at: Instant;
    readonly ended_finished_at: Instant;
  };

/** Reads what is kept beside the hot row of a job. One statement for each question, so that its parts agree. */
export class History {
  readonly #detail;
  readonly #payload;
  readonly #result;
  readonly #attempts;
  readonly #logs;

  constructor({ s }: PostgresContext) {
    this.#detail = new Statement<[id: number], JobWithDetails>(
      `SELECT jobs.*, budget, timeout_ms, backoff, tags, idempotency_key, unique_key, schedule_key, slot,
         traceparent, flow_ref, reason AS cancelled_for, about AS cancelled_about,
         octet_length(payload) AS payload_bytes, octet_length(result) AS result_bytes, problem,
         percent, message, at AS progress_at,
         (SELECT error FROM ${s}.attempts WHERE job_id = jobs.id AND error IS NOT NULL
          ORDER BY token DESC LIMIT 1) AS last_error,
         (SELECT fingerprint FROM ${s}.dead_jobs JOIN ${s}.dead_groups ON dead_groups.id = group_id
          WHERE job_id = jobs.id) AS fingerprint
       FROM ${s}.jobs JOIN ${s}.job_specs ON job_specs.job_id = jobs.id
       LEFT JOIN ${s}.job_results ON job_results.job_id = jobs.id
       LEFT JOIN ${s}.cancellations ON cancellations.job_id = jobs.id
       LEFT JOIN ${s}.job_progress ON job_progress.job_id = jobs.id
       WHERE jobs.id = $1`,
    );
    this.#payload = new Statement<[id: number], { payload: string }>(
      `SELECT payload FROM ${s}.job_specs WHERE job_id = $1`,
    );
    this.#result = new Statement<[id: number], { result: string | null }>(
      `SELECT result FROM ${s}.job_results WHERE job_id = $1`,
    );
    this.#attempts = new Statement<[id: number], JobWithAttempt>(
      `SELECT jobs.*, attempts.token AS ended_token, number, attempts.worker_id AS ended_worker_id,
         attempts.started_at AS ended_started_at, attempts.finished_at AS ended_finished_at, outcome, error,
         retry_delay_ms
       FROM ${s}.jobs LEFT JOIN ${s}.attempts ON attempts.job_id = jobs.id
       WHERE jobs.id = $1 ORDER BY attempts.token`,
    );
    this.#logs = new Statement<[id: number, afterSeq: number, limit: number], LogLine>(
      `SELECT seq, attempt, at, level, message FROM ${s}.job_logs
       WHERE job_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT $3`,
    );
  }

  async detail(db: Queryable, id: number): Promise<JobDetail | null> {
    const row = await this.#detail.get(db, id);
    if (row === undefined) return null;
    const { percent, progress_at: at } = row;
    return toDetail(row, row, {
      resultProblem: unquoted(row.problem),
      progress: percent === null || at === null ? null : { percent, message: unquoted(row.message), at },
      lastError: row.last_error,
      fingerprint: row.fingerprint,
    });
  }

  async payload(db: Queryable, id: number): Promise<string | null> {
    return (await this.#payload.get(db, id))?.payload ?? null;
  }

  async result(db: Queryable, id: number): Promise<string | null> {
    return (await this.#result.get(db, id))?.result ?? null;
  }

  async attempts(db: Queryable, id: number): Promise<Attempt[]> {
    const rows = await this.#attempts.all(db, id);
    const [job] = rows;
    return job === undefined ? [] : toAttempts(job, rows.flatMap(endedAttempt));
  }

  async logs(db: Queryable, id: number, afterSeq: number, limit: number): Promise<LogLine[]> {
    const lines = await this.#logs.all(db, id, afterSeq, limit);
    return lines.map((line) => ({ ...line, message: unquoted(line.message) }));
  }
}

function endedAttempt(row: JobWithAttempt): AttemptRow[] {
  if (row.ended_token === null) return [];
  return [
    {
      token: row.ended_token,
      number: row.number,
      worker_id: row.ended_worker_id,
      started_at: row.ended_started_at,
      finished_at: row.ended_finished_at,
      outcome: row.outcome,
      error: row.error,
      retry_delay_ms: row.retry_delay_ms,
    },
  ];
}

/** Text that is kept as JSON text. */
function unquoted<Text extends string | null>(text: Text): Text {
  return text === null ? text : (JSON.parse(text) as Text);
}
