import { MAX_INSTANT, MAX_PRIORITY } from "../../core/defaults.js";
import { isDeepStrictEqual } from "node:util";
import type { Job } from "../../core/job.js";
import { changedLimits, type QueueEdit } from "../../core/queue-limits.js";
import type { HeldBack } from "../../core/held-back.js";
import { LIMIT_COLUMNS, limitsOfRow, limitValues, type LimitValue } from "../limit-rows.js";
import { newQueue, queuesOf, type CountRow, type OldestRow, type QueueRow } from "../queue-rows.js";
import type { ExpectedVersion, Queue, QueueStore } from "../queues.js";
import type { SqliteContext } from "./context.js";
import { LimitedClaims } from "./limited-claims.js";
import { RateStarts } from "./rate-starts.js";
import { rowId } from "../rows.js";

const PRIORITIES = Array.from({ length: MAX_PRIORITY + 1 }, (_, priority) => `(${priority})`).join(", ");
/** Later than every job. */
const NEVER = MAX_INSTANT + 1;

/**
 * The oldest pending job of each queue, by the kept counters: the indexes are ordered by `run_at` only within one
 * name and priority, so each of these is asked, in one statement for all.
 */
function oldestOf(queues: string): string {
  const oldest = (keys: string) => `(
      SELECT run_at FROM jobs WHERE state = 'pending' AND keys ${keys} AND jobs.queue = counts.queue
        AND jobs.name = counts.name AND jobs.priority = priorities.priority ORDER BY run_at, id LIMIT 1
    )`;
  return `WITH priorities (priority) AS (VALUES ${PRIORITIES})
    SELECT counts.queue, nullif(min(min(
      coalesce(${oldest("IS NULL")}, ${NEVER}), coalesce(${oldest("IS NOT NULL")}, ${NEVER})
    )), ${NEVER})
    FROM counts, priorities WHERE ${queues} counts.state = 'pending' AND n > 0 GROUP BY counts.queue`;
}

interface Ahead {
  readonly queue: string;
  readonly name: string;
  readonly priority: number;
  readonly runAt: number;
  readonly id: number;
  readonly cap: number;
  readonly keys: string | null;
}

export class SqliteQueues implements QueueStore {
  readonly #rows;
  readonly #allCounts;
  readonly #allOldest;
  readonly #row;
  readonly #counts;
  readonly #oldest;
  readonly #pause;
  readonly #resume;
  readonly #limit;
  readonly #ahead;
  readonly #aheadOfKeys;
  readonly #keysOf;
  readonly #starts;
  readonly #endHolds;
  readonly #pendingNames;

  readonly #limited;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#limited = new LimitedClaims(context);
    this.#rows = db.prepare<[], QueueRow>("SELECT * FROM queues");
    this.#allCounts = db
      .prepare<[], CountRow>("SELECT queue, state, sum(n) FROM counts GROUP BY queue, state")
      .raw();
    this.#allOldest = db.prepare<[], OldestRow>(oldestOf("")).raw();
    this.#row = db.prepare<[string], QueueRow>("SELECT * FROM queues WHERE name = ?");
    this.#counts = db
      .prepare<[string], CountRow>("SELECT queue, state, sum(n) FROM counts WHERE queue = ? GROUP BY state")
      .raw();
    this.#oldest = db.prepare<[string], OldestRow>(oldestOf("counts.queue = ? AND")).raw();
    this.#pause = db.prepare<[string, number, string | null]>(
      `INSERT INTO queues (name, paused_at, pause_reason) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET
         paused_at = coalesce(paused_at, excluded.paused_at), pause_reason = excluded.pause_reason,
         version = version + 1`,
    );
    this.#resume = db.prepare<[string]>(
      `UPDATE queues SET paused_at = NULL, pause_reason = NULL, held_until = NULL, version = version + 1
       WHERE name = ?`,
    );
    // Three ranges of one index, read no further than the cap. A comparison of pairs would be one range less, and
    // walk past all jobs that a batch made in the same millisecond.
    const ahead = (keys: string) =>
      db
        .prepare<[Ahead], number>(
          `SELECT count(*) FROM (
             SELECT id FROM jobs WHERE state = 'pending' AND keys ${keys} AND queue = @queue AND name = @name
               AND priority > @priority
             UNION ALL
             SELECT id FROM jobs WHERE state = 'pending' AND keys ${keys} AND queue = @queue AND name = @name
               AND priority = @priority AND run_at < @runAt
             UNION ALL
             SELECT id FROM jobs WHERE state = 'pending' AND keys ${keys} AND queue = @queue AND name = @name
               AND priority = @priority AND run_at = @runAt AND id < @id
             LIMIT @cap
           )`,
        )
        .pluck();
    this.#ahead = ahead("IS NULL");
    this.#aheadOfKeys = ahead("= @keys");
    this.#keysOf = db.prepare<[number], string | null>("SELECT keys FROM jobs WHERE id = ?").pluck();
    const columns = LIMIT_COLUMNS.join(", ");
    this.#limit = db.prepare<[string, ...LimitValue[]]>(
      `INSERT INTO queues (name, ${columns}) VALUES (?${", ?".repeat(LIMIT_COLUMNS.length)})
       ON CONFLICT DO UPDATE SET ${LIMIT_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")},
         version = version + 1`,
    );
    this.#starts = new RateStarts(context);
    this.#endHolds = db.prepare<[string]>("DELETE FROM holds WHERE queue = ?");
    this.#pendingNames = db.prepare<[], { queue: string; name: string; pending: number }>(
      "SELECT queue, name, n AS pending FROM counts WHERE state = 'pending' AND n > 0 ORDER BY queue, name",
    );
  }

  list(): Promise<readonly Queue[]> {
    return this.context.read(() => this.all());
  }

  /** All queues by name, at once: for who reads them together with something else. */
  all(): readonly Queue[] {
    return queuesOf(this.#rows.all(), this.#allCounts.all(), this.#allOldest.all());
  }

  get(name: string): Promise<Queue | null> {
    return this.context.read(() => this.#find(name));
  }

  pause(name: string, reason: string | null, version: ExpectedVersion = null): Promise<Queue | null> {
    return this.edit(name, { paused: true, pauseReason: reason }, version);
  }

  resume(name: string, version: ExpectedVersion = null): Promise<Queue | null> {
    return this.edit(name, { paused: false }, version);
  }

  async edit(name: string, edit: QueueEdit, version: ExpectedVersion = null): Promise<Queue | null> {
    const edited = await this.context.write(() => {
      if (version !== null && (this.#row.get(name)?.version ?? 0) !== version) return false;
      if (edit.paused === true) this.#pauseFor(name, edit.pauseReason ?? null);
      if (edit.paused === false) this.#resumeNow(name);
      this.#setLimits(name, edit);
      return true;
    });
    return edited ? this.context.read(() => this.#find(name) ?? newQueue(name)) : null;
  }

  ahead(
    { id, queue, name, priority, runAt }: Pick<Job, "id" | "queue" | "name" | "priority" | "runAt">,
    cap: number,
  ): Promise<number> {
    const row = rowId(id) ?? 0;
    return this.context.read(() => {
      const keys = this.#keysOf.get(row) ?? null;
      const place = { queue, name, priority, runAt, id: row, cap, keys };
      return (keys === null ? this.#ahead : this.#aheadOfKeys).get(place) ?? 0;
    });
  }

  heldBack(id: string): Promise<HeldBack | null> {
    return this.context.read(() => this.#limited.heldBack(rowId(id) ?? 0));
  }

  pendingNames(): Promise<readonly { queue: string; name: string; pending: number }[]> {
    return this.context.read(() => this.#pendingNames.all());
  }

  #pauseFor(name: string, reason: string | null): void {
    const before = this.#row.get(name);
    // Said once more for the same reason, it changes nothing: the answer to the first time may have been lost.
    if (before !== undefined && before.paused_at !== null && before.pause_reason === reason) return;
    this.#pause.run(name, this.context.clock.now(), reason);
    this.context.journal.add({ type: "queue", name, action: "paused" });
  }

  #resumeNow(name: string): void {
    const row = this.#row.get(name);
    const isOff = row !== undefined && (row.paused_at !== null || row.held_until !== null);
    const released = this.#endHolds.run(name).changes;
    if (!isOff && released === 0) return;
    this.#resume.run(name);
    this.context.journal.add({ type: "queue", name, action: "resumed" });
    this.context.changes.pending(name);
  }

  #setLimits(name: string, edit: QueueEdit): void {
    const before = limitsOfRow(this.#row.get(name));
    const limits = changedLimits(before, edit);
    if (isDeepStrictEqual(limits, before)) return;
    this.#limit.run(name, ...limitValues(limits));
    this.#starts.edited(name, before, limits, this.context.clock.now());
    this.context.step("limit:queue");
    this.context.bounded.changed();
    this.context.journal.add({ type: "queue", name, action: "limited" });
    this.context.changes.pending(name);
  }

  #find(name: string): Queue | null {
    const row = this.#row.get(name);
    const rows = row === undefined ? [] : [row];
    return queuesOf(rows, this.#counts.all(name), this.#oldest.all(name))[0] ?? null;
  }
}
