import type { LeaseLossReason } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import type { ClaimKey, NewLogLine } from "../claims.js";
import { keptLines } from "../log-limit.js";
import type { PostgresContext } from "./context.js";
import { held, type CurrentClaim } from "./current-claim.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** What a running job tells about itself: progress and log lines. */
export class Notes {
  readonly #setProgress;
  readonly #lastSeq;
  readonly #insertLines;
  readonly #newBatch;

  constructor(
    { s }: PostgresContext,
    private readonly current: CurrentClaim,
  ) {
    this.#setProgress = new Statement<
      [id: number, percent: number, message: string | null, at: Instant],
      never
    >(
      `INSERT INTO ${s}.job_progress (job_id, percent, message, at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (job_id) DO UPDATE SET percent = excluded.percent, message = excluded.message, at = excluded.at`,
    );
    this.#lastSeq = new Statement<[id: number], { seq: number }>(
      `SELECT coalesce(max(seq), 0) AS seq FROM ${s}.job_logs WHERE job_id = $1`,
    );
    this.#insertLines = new Statement<
      [
        id: number,
        attempt: number,
        at: Instant,
        after: number,
        levels: readonly string[],
        messages: readonly string[],
      ],
      never
    >(
      `INSERT INTO ${s}.job_logs (job_id, attempt, at, seq, level, message)
       SELECT $1, $2, $3, $4 + place, level, message
       FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS line (level, message, place)`,
    );
    this.#newBatch = new Statement<[id: number, token: number, seq: number], never>(
      `INSERT INTO ${s}.job_log_batches AS known (job_id, token, seq) VALUES ($1, $2, $3)
       ON CONFLICT (job_id) DO UPDATE SET token = excluded.token, seq = excluded.seq
       WHERE known.token <> excluded.token OR known.seq < excluded.seq`,
    );
  }

  async progress(
    tx: Transaction,
    key: ClaimKey,
    percent: number,
    message: string | null,
  ): Promise<LeaseLossReason | null> {
    const row = held((await this.current.lock(tx, [key.id])).get(key.id), key);
    if (typeof row === "string") return row;
    await this.#setProgress.run(
      tx,
      row.id,
      percent,
      message === null ? null : JSON.stringify(message),
      tx.now,
    );
    tx.ledger.note(row.queue, row.name);
    return null;
  }

  async log(
    tx: Transaction,
    key: ClaimKey,
    lines: readonly NewLogLine[],
    batch?: number,
  ): Promise<LeaseLossReason | null> {
    // The lock keeps two calls for the same job from taking the same numbers.
    const row = held((await this.current.lock(tx, [key.id])).get(key.id), key);
    if (typeof row === "string") return row;
    if (batch !== undefined && (await this.#newBatch.run(tx, row.id, row.token, batch)) === 0) return null;
    tx.ledger.note(row.queue, row.name);
    const last = (await this.#lastSeq.get(tx, row.id))?.seq ?? 0;
    const kept = keptLines(last, lines);
    await this.#insertLines.run(
      tx,
      row.id,
      row.attempt,
      tx.now,
      last,
      kept.map(({ level }) => level),
      kept.map(({ message }) => JSON.stringify(message)),
    );
    return null;
  }
}
