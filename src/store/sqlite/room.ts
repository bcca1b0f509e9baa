import { MAX_PRIORITY } from "../../core/defaults.js";
import { dropsFor, type Arrivals, type BoundedQueueRow, type Room as RoomOfQueue } from "../admission.js";
import type { JobRow } from "../rows.js";
import { CancelWaiting } from "./cancel-waiting.js";
import type { SqliteContext } from "./context.js";

type Oldest = Pick<JobRow, "id" | "queue" | "name" | "state" | "attempt" | "run_at" | "flow_id">;

const PRIORITIES = Array.from({ length: MAX_PRIORITY + 1 }, (_, priority) => `(${priority})`).join(", ");

/** Makes room for new jobs in queues with a limit. Every method runs inside a write transaction. */
export class Room {
  readonly #cancel;
  readonly #waiting;
  readonly #firsts;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#cancel = new CancelWaiting(context);
    this.#waiting = db.prepare<[string], { waiting: number; pending: number }>(
      `SELECT coalesce(sum(n), 0) AS waiting, coalesce(sum(n) FILTER (WHERE state = 'pending'), 0) AS pending
       FROM counts WHERE queue = ? AND state IN ('blocked', 'scheduled', 'pending')`,
    );
    // The index is ordered by `run_at` only within one name and priority, so the first of each is asked for.
    this.#firsts = db.prepare<[string, string, string, string], Oldest>(
      `WITH priorities (priority) AS (VALUES ${PRIORITIES}), firsts (id) AS (
         ${firstsOf("IS NULL")} UNION ALL ${firstsOf("IS NOT NULL")}
       )
       SELECT jobs.id, queue, name, state, attempt, run_at, flow_id FROM firsts CROSS JOIN jobs USING (id)`,
    );
  }

  /** How many jobs have to go before the new ones come. @throws KonveierError `queue_full` */
  drops(queue: BoundedQueueRow, arrivals: Arrivals): number {
    return dropsFor(this.#roomOf(queue), arrivals);
  }

  /** @param except ids of jobs that are not dropped */
  drop(queue: string, count: number, except: readonly number[]): void {
    const now = this.context.clock.now();
    const kept = JSON.stringify(except);
    for (let dropped = 0; dropped < count; dropped += 1) {
      const [row] = this.#firsts.all(kept, queue, kept, queue).sort(byTime);
      if (row === undefined)
        throw new Error(`The queue ${queue} has fewer pending jobs than its counters say`);
      this.#cancel.drop(row, now);
    }
  }

  #roomOf(queue: BoundedQueueRow): RoomOfQueue {
    // What this very transaction did is still in the ledger.
    this.context.ledger.flushCounts();
    return { ...queue, ...(this.#waiting.get(queue.name) ?? { waiting: 0, pending: 0 }) };
  }
}

function firstsOf(keys: string): string {
  return `SELECT (
      SELECT id FROM jobs WHERE state = 'pending' AND keys ${keys} AND jobs.queue = counts.queue
        AND jobs.name = counts.name AND jobs.priority = priorities.priority
        AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY run_at, id LIMIT 1
    ) FROM counts, priorities WHERE counts.queue = ? AND counts.state = 'pending' AND n > 0`;
}

function byTime(a: Oldest, b: Oldest): number {
  return a.run_at - b.run_at || a.id - b.id;
}
