import { isDeepStrictEqual } from "node:util";
import type { Instant, Job } from "../../core/job.js";
import { changedLimits, type QueueEdit } from "../../core/queue-limits.js";
import type { HeldBack } from "../../core/held-back.js";
import { LIMIT_COLUMNS, limitsOfRow, limitValues, type LimitValue } from "../limit-rows.js";
import { newQueue, queuesOf, type CountRow, type OldestRow, type QueueRow } from "../queue-rows.js";
import type { ExpectedVersion, Queue, QueueStore } from "../queues.js";
import { rowId } from "../rows.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { TryAgain } from "./errors.js";
import { LimitedClaims } from "./limited-claims.js";
import { KEYED, pendingOfLane } from "./lane-floors.js";
import { RateStarts } from "./rate-starts.js";
import { Statement } from "./statement.js";

/** What is kept of the queues, from one moment. */
interface Reading {
  readonly rows: readonly QueueRow[];
  readonly counts: readonly CountRow[];
  readonly oldest: readonly OldestRow[];
}

type AheadValues = [queue: string, name: string, priority: number, runAt: number, id: number, cap: number];
type Placed = Pick<Job, "id" | "queue" | "name" | "priority" | "runAt">;

export class PostgresQueues implements QueueStore {
  readonly #read;
  readonly #lock;
  readonly #insert;
  readonly #pause;
  readonly #resume;
  readonly #limit;
  readonly #ahead;
  readonly #aheadOfKeys;
  readonly #keysOf;
  readonly #starts;
  readonly #endHolds;
  readonly #limited;
  readonly #pendingNames;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    const pending = (of: string) =>
      `SELECT queue, name, sum(n) AS pending FROM ${s}.counts WHERE state = 'pending' AND ${of}
       GROUP BY queue, name HAVING sum(n) > 0`;
    const asked = (column: string) => `($1::text IS NULL OR ${column} = $1)`;
    // One statement, so that all of it is from one moment. The index of pending jobs is ordered by `run_at` only within
    // a lane, so the oldest of each lane is asked for, where the counters know of any.
    this.#read = new Statement<[name: string | null, now: Instant], Reading>(
      `SELECT (
         SELECT coalesce(json_agg(queues), '[]') FROM ${s}.queues WHERE ${asked("name")}
       ) AS rows, (
         SELECT coalesce(json_agg(json_build_array(queue, state, n)), '[]') FROM (
           SELECT queue, state, sum(n) AS n FROM ${s}.counts WHERE ${asked("queue")} GROUP BY queue, state
         ) AS counted
       ) AS counts, (
         SELECT coalesce(json_agg(json_build_array(queue, run_at)), '[]') FROM (
           SELECT queue, min(run_at) AS run_at FROM (${pending(asked("queue"))}) AS waiting
           JOIN ${s}.lanes AS lane USING (queue, name) CROSS JOIN LATERAL (
             (SELECT run_at ${pendingOfLane(s, "$2::bigint")} ORDER BY run_at, id LIMIT 1)
             UNION ALL
             SELECT oldest.run_at FROM generate_series(0, 9) AS level CROSS JOIN LATERAL (
               SELECT run_at FROM ${s}.jobs WHERE state = 'pending' AND keys IS NOT NULL AND jobs.queue = lane.queue
                 AND jobs.name = lane.name AND jobs.priority = level ORDER BY run_at, id LIMIT 1
             ) AS oldest WHERE lane.priority = ${String(KEYED)}
           ) AS first GROUP BY queue
         ) AS each
       ) AS oldest`,
    );
    this.#lock = new Statement<[name: string], QueueRow>(
      `SELECT * FROM ${s}.queues WHERE name = $1 FOR UPDATE`,
    );
    this.#insert = new Statement<[name: string], QueueRow>(
      `INSERT INTO ${s}.queues (name, version) VALUES ($1, 0) ON CONFLICT DO NOTHING`,
    );
    this.#pause = new Statement<[name: string, at: number, reason: string], never>(
      `UPDATE ${s}.queues SET paused_at = coalesce(paused_at, $2), pause_reason = $3, version = version + 1
       WHERE name = $1`,
    );
    this.#resume = new Statement<[name: string], never>(
      `UPDATE ${s}.queues SET paused_at = NULL, pause_reason = NULL, held_until = NULL, version = version + 1
       WHERE name = $1`,
    );
    // Three ranges of one index, read no further than the cap. A comparison of pairs would be one range less, and
    // walk past all jobs that a batch made in the same millisecond.
    const ahead = (keys: string) => {
      const lane = `SELECT 1 FROM ${s}.jobs WHERE state = 'pending' AND keys ${keys} AND queue = $1 AND name = $2`;
      return `SELECT count(*) AS n FROM (
         ${lane} AND priority > $3
         UNION ALL ${lane} AND priority = $3 AND run_at < $4
         UNION ALL ${lane} AND priority = $3 AND run_at = $4 AND id < $5
         LIMIT $6
       ) AS ahead`;
    };
    this.#ahead = new Statement<AheadValues, { n: number }>(ahead("IS NULL"));
    this.#aheadOfKeys = new Statement<[...AheadValues, keys: string], { n: number }>(
      ahead("IS NOT NULL AND keys = $7"),
    );
    this.#keysOf = new Statement<[id: number], { keys: string | null }>(
      `SELECT keys FROM ${s}.jobs WHERE id = $1`,
    );
    this.#limit = new Statement<[name: string, ...limits: LimitValue[]], never>(
      `UPDATE ${s}.queues SET version = version + 1,
         ${LIMIT_COLUMNS.map((column, index) => `${column} = $${String(index + 2)}`).join(", ")} WHERE name = $1`,
    );
    this.#starts = new RateStarts(s);
    this.#endHolds = new Statement<[queue: string], never>(`DELETE FROM ${s}.holds WHERE queue = $1`);
    this.#limited = new LimitedClaims(context);
    this.#pendingNames = new Statement<[], { queue: string; name: string; pending: number }>(
      `${pending("TRUE")} ORDER BY queue, name`,
    );
  }

  list(): Promise<readonly Queue[]> {
    return this.context.read((db) => this.all(db));
  }

  /** All queues by name: for who reads them together with something else. */
  all(db: Queryable): Promise<Queue[]> {
    return this.#find(db, null);
  }

  get(name: string): Promise<Queue | null> {
    return this.context.read(async (db) => (await this.#find(db, name))[0] ?? null);
  }

  pause(name: string, reason: string | null, version: ExpectedVersion = null): Promise<Queue | null> {
    return this.edit(name, { paused: true, pauseReason: reason }, version);
  }

  resume(name: string, version: ExpectedVersion = null): Promise<Queue | null> {
    return this.edit(name, { paused: false }, version);
  }

  edit(name: string, edit: QueueEdit, expected: ExpectedVersion = null): Promise<Queue | null> {
    return this.context.write(async (tx) => {
      // A claim that has read the limits before the edit is over, and has counted its starts.
      const now = await this.#limited.lock(tx, [name]);
      const before = await this.#lock.get(tx, name);
      if (expected !== null && (before?.version ?? 0) !== expected) return null;
      const limitsBefore = limitsOfRow(before);
      const limits = changedLimits(limitsBefore, edit);
      const isLimited = !isDeepStrictEqual(limits, limitsBefore);
      // Said once more for the same reason, it changes nothing: the answer to the first time may have been lost.
      const reason = JSON.stringify(edit.pauseReason ?? null);
      const isPaused = (before?.paused_at ?? null) !== null;
      const pauses = edit.paused === true && !(isPaused && before?.pause_reason === reason);
      const isHeld = (before?.held_until ?? null) !== null;
      const released = edit.paused === false ? await this.#endHolds.run(tx, name) : 0;
      const resumes = edit.paused === false && (isPaused || isHeld || released > 0);
      // Nothing to lock before the first edit: somebody else has made it meanwhile.
      const isNew = before === undefined && (pauses || isLimited);
      if (isNew && (await this.#insert.run(tx, name)) === 0) throw new TryAgain();
      if (pauses) await this.#pause.run(tx, name, tx.now, reason);
      if (resumes) await this.#resume.run(tx, name);
      if (isLimited) {
        await this.#limit.run(tx, name, ...limitValues(limits));
        await this.#starts.edited(tx, name, limitsBefore, limits, now);
      }
      for (const action of [pauses && "paused", resumes && "resumed", isLimited && "limited"] as const) {
        if (action !== false) tx.ledger.journal.add({ type: "queue", name, action });
      }
      if (resumes || isLimited) tx.changes.pending(name);
      return (await this.#find(tx, name))[0] ?? newQueue(name);
    });
  }

  ahead({ id, queue, name, priority, runAt }: Placed, cap: number): Promise<number> {
    const row = rowId(id) ?? 0;
    return this.context.read(async (db) => {
      const values: AheadValues = [queue, name, priority, runAt, row, cap];
      const keys = (await this.#keysOf.get(db, row))?.keys ?? null;
      const counted =
        keys === null ? this.#ahead.get(db, ...values) : this.#aheadOfKeys.get(db, ...values, keys);
      return (await counted)?.n ?? 0;
    });
  }

  heldBack(id: string): Promise<HeldBack | null> {
    return this.context.read((db) => this.#limited.heldBack(db, rowId(id) ?? 0));
  }

  pendingNames(): Promise<readonly { queue: string; name: string; pending: number }[]> {
    return this.context.read((db) => this.#pendingNames.all(db));
  }

  async #find(db: Queryable, name: string | null): Promise<Queue[]> {
    const reading = await this.#read.get(db, name, this.context.clock.now());
    if (reading === undefined) throw new Error("The queues were read without an answer");
    const rows = reading.rows.map((row) => ({ ...row, pause_reason: parseReason(row.pause_reason) }));
    return queuesOf(rows, reading.counts, reading.oldest);
  }
}

function parseReason(text: string | null): string | null {
  return text === null ? null : (JSON.parse(text) as string | null);
}
