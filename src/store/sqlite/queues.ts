import { MAX_PRIORITY } from "../../core/defaults.js";
import { JOB_STATES, type JobState } from "../../core/states.js";
import type { Queue, QueueStore } from "../queues.js";
import type { SqliteContext } from "./context.js";
import { Lanes } from "./lanes.js";

interface QueueRow {
  readonly name: string;
  readonly paused_at: number | null;
  readonly pause_reason: string | null;
}

interface CountRow {
  readonly state: JobState;
  readonly n: number;
}

export class SqliteQueues implements QueueStore {
  readonly #lanes;
  readonly #names;
  readonly #row;
  readonly #counts;
  readonly #oldest;
  readonly #pause;
  readonly #resume;
  readonly #pendingNames;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#lanes = new Lanes(db);
    this.#names = db
      .prepare<[], string>("SELECT queue FROM counts UNION SELECT name FROM queues ORDER BY 1")
      .pluck();
    this.#row = db.prepare<[string], QueueRow>("SELECT * FROM queues WHERE name = ?");
    this.#counts = db.prepare<[string], CountRow>(
      "SELECT state, sum(n) AS n FROM counts WHERE queue = ? GROUP BY state",
    );
    // The index is ordered by `run_at` only within one name and priority, so each of these is asked.
    this.#oldest = db
      .prepare<[string, string, number], number>(
        `SELECT run_at FROM jobs WHERE state = 'pending' AND queue = ? AND name = ? AND priority = ?
         ORDER BY run_at, id LIMIT 1`,
      )
      .pluck();
    this.#pause = db.prepare<[string, number, string | null]>(
      `INSERT INTO queues (name, paused_at, pause_reason) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET
         paused_at = coalesce(paused_at, excluded.paused_at), pause_reason = excluded.pause_reason`,
    );
    this.#resume = db.prepare<[string]>(
      "UPDATE queues SET paused_at = NULL, pause_reason = NULL WHERE name = ?",
    );
    this.#pendingNames = db.prepare<[], { queue: string; name: string; pending: number }>(
      "SELECT queue, name, n AS pending FROM counts WHERE state = 'pending' AND n > 0 ORDER BY queue, name",
    );
  }

  list(): Promise<readonly Queue[]> {
    return this.context.read(() => this.#names.all().map((name) => this.#describe(name)));
  }

  get(name: string): Promise<Queue | null> {
    return this.context.read(() => {
      const exists = this.#row.get(name) !== undefined || this.#counts.all(name).length > 0;
      return exists ? this.#describe(name) : null;
    });
  }

  async pause(name: string, reason: string | null): Promise<Queue> {
    await this.context.write(() => {
      const before = this.#row.get(name) ?? { paused_at: null, pause_reason: null };
      this.#pause.run(name, this.context.clock.now(), reason);
      // Said once more for the same reason, it changes nothing.
      if (before.paused_at === null || before.pause_reason !== reason) {
        this.context.journal.add({ type: "queue", name, action: "paused" });
      }
    });
    return this.context.read(() => this.#describe(name));
  }

  async resume(name: string): Promise<Queue> {
    await this.context.write(() => {
      if (this.#isPaused(name)) this.context.journal.add({ type: "queue", name, action: "resumed" });
      this.#resume.run(name);
      this.context.changes.pending(name);
    });
    return this.context.read(() => this.#describe(name));
  }

  pendingNames(): Promise<readonly { queue: string; name: string; pending: number }[]> {
    return this.context.read(() => this.#pendingNames.all());
  }

  #isPaused(name: string): boolean {
    return (this.#row.get(name)?.paused_at ?? null) !== null;
  }

  #describe(name: string): Queue {
    const row = this.#row.get(name);
    const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
    for (const { state, n } of this.#counts.all(name)) counts[state] = n;
    return {
      name,
      pausedAt: row?.paused_at ?? null,
      pauseReason: row?.pause_reason ?? null,
      counts,
      oldestPendingAt: counts.pending === 0 ? null : this.#oldestPending(name),
    };
  }

  #oldestPending(queue: string): number | null {
    let oldest: number | null = null;
    for (const name of this.#lanes.pending(queue, null)) {
      for (let priority = 0; priority <= MAX_PRIORITY; priority += 1) {
        const runAt = this.#oldest.get(queue, name, priority);
        if (runAt !== undefined && (oldest === null || runAt < oldest)) oldest = runAt;
      }
    }
    return oldest;
  }
}
