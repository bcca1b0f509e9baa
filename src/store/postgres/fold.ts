import type { Clock } from "../../core/clock.js";
import { STEP_MS, type StatStep } from "../stats.js";
import type { Pool, Queryable } from "./connection.js";
import { lockNumber } from "./lock-number.js";
import { newestVersion } from "./migrate.js";
import { Statement } from "./statement.js";

/** How long bookkeeping lies about before it is added up. */
const FOLD_EVERY_MS = 1_000;
/** Transactions whose bookkeeping is added up at once: bounds how long their rows are locked. */
const MOST_AT_ONCE = 5_000;
/** What is left is done by the next process: it keeps no close waiting when the network is cut. */
const FOLD_TIMEOUT_MS = 5_000;

interface FoldedRow {
  /** Another process was at it. */
  readonly busy: boolean;
  readonly n: number;
}

/**
 * Adds up the bookkeeping of transactions, so that there is little to add up for those who read it. Whatever moment
 * they read at, the sum is the same: rows go from one place to the other in one statement.
 *
 * Each process that writes does it for all, soon after it has written. Nothing depends on it, so nothing waits for it,
 * and nothing fails with it.
 */
export class Fold {
  readonly #text: string;
  #cancelTimer: (() => void) | null = null;
  #running: Promise<void> | null = null;
  /** Something was written that no run that has begun since has looked for. */
  #wanted = false;
  #closed = false;

  constructor(
    private readonly pool: Pool,
    s: string,
    private readonly clock: Clock,
  ) {
    // One text is one round trip, so no transaction stays open when this process is stopped in between.
    this.#text = `BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL lock_timeout = ${FOLD_TIMEOUT_MS};
      ${foldText(s, String(MOST_AT_ONCE))};
      COMMIT`;
  }

  /** Something was written. */
  soon(): void {
    this.#wanted = true;
    if (this.#closed || this.#running !== null || this.#cancelTimer !== null) return;
    this.#cancelTimer = this.clock.setTimer(FOLD_EVERY_MS, () => {
      this.#cancelTimer = null;
      this.now();
    });
  }

  /** What others have left, without waiting for the time. */
  now(): void {
    if (this.#closed || this.#running !== null) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#wanted) this.soon();
    });
  }

  /** Does what is left of its own, and nothing afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    await this.#running;
    if (this.#wanted) await this.#run();
  }

  async #run(): Promise<void> {
    this.#wanted = false;
    try {
      let n;
      do {
        const folded = await this.#once();
        n = folded.n;
        if (folded.busy) this.#wanted = true;
      } while (n === MOST_AT_ONCE && !this.#closed);
      if (n === MOST_AT_ONCE) this.#wanted = true;
    } catch {
      // It is all there still.
      this.#wanted = true;
    }
  }

  async #once(): Promise<FoldedRow> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const query = { text: this.#text, query_timeout: FOLD_TIMEOUT_MS };
      // Several statements in one text give several results.
      const results = (await client.query(query)) as unknown as { rows: FoldedRow[] }[];
      return results[2]?.rows[0] ?? { busy: false, n: 0 };
    } catch (error) {
      // Ends the transaction as well, whatever state it is in.
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** For who must have everything added up before it goes on, in a transaction of its own. */
export class FoldAll {
  readonly #lock;
  readonly #fold;

  constructor(s: string) {
    this.#lock = new Statement<[], never>(`SELECT pg_advisory_xact_lock(${lockNumber("fold", s)})`);
    this.#fold = new Statement<[], FoldedRow>(foldText(s, "ALL"));
  }

  async run(tx: Queryable): Promise<void> {
    // Waits for whoever is at it, and has the lock then when the next statement tries to take it.
    await this.#lock.run(tx);
    await this.#fold.get(tx);
  }
}

/**
 * Who finds another one at it leaves it to that one. The lock is only for speed: who begins while another one ends
 * finds some rows gone when it comes to delete them, and adds up only those that it has deleted itself.
 *
 * Rows are added to in the order of their keys, in case somebody removes some of them meanwhile. A counter of 0 stays:
 * by it a queue is known that once had jobs, and it is changed in its place, which a new row could not be.
 */
function foldText(s: string, limit: string): string {
  const events = (table: string, at: string, keys: string) =>
    `INSERT INTO ${s}.${table} AS folded (${keys}, n)
       SELECT ${at}queue, name, event, sum(n) FROM happened GROUP BY ${keys} ORDER BY ${keys}
       ON CONFLICT (${keys}) DO UPDATE SET n = folded.n + excluded.n`;
  const durations = (table: string, at: string, keys: string) =>
    `INSERT INTO ${s}.${table} AS folded (${keys}, n, sum_ms)
       SELECT ${at}queue, name, kind, bucket, sum(n), sum(sum_ms) FROM took GROUP BY ${keys} ORDER BY ${keys}
       ON CONFLICT (${keys}) DO UPDATE SET n = folded.n + excluded.n, sum_ms = folded.sum_ms + excluded.sum_ms`;
  const spanOf = (step: StatStep) => `at - at % ${String(STEP_MS[step])} AS ${step}`;
  return `WITH turn AS MATERIALIZED (
      SELECT (SELECT oldest_compatible FROM ${s}.schema_version) <= ${String(newestVersion())}
        AND pg_try_advisory_xact_lock(${lockNumber("fold", s)}) AS mine
    ), gone AS MATERIALIZED (
      DELETE FROM ${s}.deltas WHERE id IN (
        SELECT id FROM ${s}.deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT ${limit}
      ) RETURNING *
    ), changed AS MATERIALIZED (
      SELECT queue, name, key AS state, value::bigint AS n FROM gone, jsonb_each_text(counts)
    ), happened AS MATERIALIZED (
      SELECT ${spanOf("minute")}, ${spanOf("hour")}, queue, name, key AS event, value::bigint AS n
      FROM gone, jsonb_each_text(events)
    ), took AS MATERIALIZED (
      SELECT ${spanOf("minute")}, ${spanOf("hour")}, queue, name, duration.*
      FROM gone, jsonb_to_recordset(durations) AS duration (kind text, bucket smallint, n bigint, sum_ms bigint)
    ), counts AS (
      INSERT INTO ${s}.folded_counts AS folded (queue, state, name, n)
      SELECT queue, state, name, sum(n) FROM changed GROUP BY queue, state, name ORDER BY queue, state, name
      ON CONFLICT (queue, state, name) DO UPDATE SET n = folded.n + excluded.n WHERE excluded.n <> 0
    ), total_events AS (
      ${events("folded_total_events", "", "queue, name, event")}
    ), minute_events AS (
      ${events("folded_minute_events", "minute, ", "minute, queue, name, event")}
    ), hour_events AS (
      ${events("folded_hour_events", "hour, ", "hour, queue, name, event")}
    ), total_durations AS (
      ${durations("folded_total_durations", "", "queue, name, kind, bucket")}
    ), minute_durations AS (
      ${durations("folded_minute_durations", "minute, ", "minute, queue, name, kind, bucket")}
    ), hour_durations AS (
      ${durations("folded_hour_durations", "hour, ", "hour, queue, name, kind, bucket")}
    ), noted AS (
      UPDATE ${s}.folded_notes SET n = n + (SELECT sum(notes) FROM gone)
      WHERE (SELECT sum(notes) FROM gone) > 0
    )
    SELECT NOT mine AS busy, (SELECT count(*) FROM gone) AS n FROM turn`;
}
