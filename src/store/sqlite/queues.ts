import { MAX_PRIORITY } from "../../core/defaults.js";
import type { Job } from "../../core/job.js";
import {
  editedLimits,
  newQueue,
  queuesOf,
  type CountRow,
  type OldestRow,
  type QueueRow,
} from "../queue-rows.js";
import type { ExpectedVersion, Queue, QueueEdit, QueueStore } from "../queues.js";
import type { SqliteContext } from "./context.js";
import { rowId } from "../rows.js";

const PRIORITIES = Array.from({ length: MAX_PRIORITY + 1 }, (_, priority) => `(${priority})`).join(", ");

/**
 * The oldest pending job of each queue, by the kept counters: the index is ordered by `run_at` only within one
 * name and priority, so each of these is asked, in one statement for all.
 */
function oldestOf(queues: string): string {
  return `WITH priorities (priority) AS (VALUES ${PRIORITIES})
    SELECT counts.queue, min((
      SELECT run_at FROM jobs WHERE state = 'pending' AND jobs.queue = counts.queue
        AND jobs.name = counts.name AND jobs.priority = priorities.priority ORDER BY run_at, id LIMIT 1
    ))
    FROM counts, priorities WHERE ${queues} counts.state = 'pending' AND n > 0 GROUP BY counts.queue`;
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
  readonly #pendingNames;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
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
      "UPDATE queues SET paused_at = NULL, pause_reason = NULL, version = version + 1 WHERE name = ?",
    );
    this.#limit = db.prepare<[string, number | null, string]>(
      `INSERT INTO queues (name, max_length, on_full) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET max_length = excluded.max_length, on_full = excluded.on_full,
         version = version + 1`,
    );
    // Three ranges of one index, read no further than the cap. A comparison of pairs would be one range less, and
    // walk past all jobs that a batch made in the same millisecond.
    this.#ahead = db
      .prepare<
        [{ queue: string; name: string; priority: number; runAt: number; id: number; cap: number }],
        number
      >(
        `SELECT count(*) FROM (
           SELECT id FROM jobs WHERE state = 'pending' AND queue = @queue AND name = @name
             AND priority > @priority
           UNION ALL
           SELECT id FROM jobs WHERE state = 'pending' AND queue = @queue AND name = @name
             AND priority = @priority AND run_at < @runAt
           UNION ALL
           SELECT id FROM jobs WHERE state = 'pending' AND queue = @queue AND name = @name
             AND priority = @priority AND run_at = @runAt AND id < @id
           LIMIT @cap
         )`,
      )
      .pluck();
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
    return this.context.read(() => this.#ahead.get({ queue, name, priority, runAt, id: row, cap }) ?? 0);
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
    if ((this.#row.get(name)?.paused_at ?? null) === null) return;
    this.#resume.run(name);
    this.context.journal.add({ type: "queue", name, action: "resumed" });
    this.context.changes.pending(name);
  }

  #setLimits(name: string, edit: QueueEdit): void {
    const limits = editedLimits(this.#row.get(name), edit);
    if (limits === null) return;
    this.#limit.run(name, limits.max_length, limits.on_full);
    this.context.limited.changed();
    this.context.journal.add({ type: "queue", name, action: "limited" });
  }

  #find(name: string): Queue | null {
    const row = this.#row.get(name);
    const rows = row === undefined ? [] : [row];
    return queuesOf(rows, this.#counts.all(name), this.#oldest.all(name))[0] ?? null;
  }
}
