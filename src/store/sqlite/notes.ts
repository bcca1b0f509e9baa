import type { LeaseLossReason } from "../../core/errors.js";
import type { ClaimKey, NewLogLine } from "../claims.js";
import { keptLines } from "../log-limit.js";
import type { SqliteContext } from "./context.js";
import type { CurrentClaim } from "./current-claim.js";

/** What a running job tells about itself: progress and log lines. */
export class Notes {
  readonly #setProgress;
  readonly #lastSeq;
  readonly #insertLine;
  readonly #newBatch;

  constructor(
    private readonly context: SqliteContext,
    private readonly current: CurrentClaim,
  ) {
    const { db } = context;
    this.#setProgress = db.prepare(
      `INSERT INTO job_progress (job_id, percent, message, at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET percent = excluded.percent, message = excluded.message, at = excluded.at`,
    );
    this.#lastSeq = db
      .prepare<[number], number>("SELECT coalesce(max(seq), 0) FROM job_logs WHERE job_id = ?")
      .pluck();
    this.#insertLine = db.prepare(
      "INSERT INTO job_logs (job_id, seq, attempt, at, level, message) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#newBatch = db.prepare<[number, number, number]>(
      `INSERT INTO job_log_batches (job_id, token, seq) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET token = excluded.token, seq = excluded.seq
       WHERE token <> excluded.token OR seq < excluded.seq`,
    );
  }

  /** Runs inside a write transaction. */
  progress(key: ClaimKey, percent: number, message: string | null): LeaseLossReason | null {
    const row = this.current.find(key);
    if (typeof row === "string") return row;
    this.#setProgress.run(row.id, percent, message, this.context.clock.now());
    this.context.sequences.take("job_note", 1);
    return null;
  }

  /** Runs inside a write transaction. Lines beyond the limit are dropped; the last one kept says so. */
  log(key: ClaimKey, lines: readonly NewLogLine[], batch?: number): LeaseLossReason | null {
    const row = this.current.find(key);
    if (typeof row === "string") return row;
    if (batch !== undefined && this.#newBatch.run(row.id, row.token, batch).changes === 0) return null;
    this.context.sequences.take("job_note", 1);
    const at = this.context.clock.now();
    let seq = this.#lastSeq.get(row.id) ?? 0;
    for (const { level, message } of keptLines(seq, lines)) {
      seq += 1;
      this.#insertLine.run(row.id, seq, row.attempt, at, level, message);
    }
    return null;
  }
}
