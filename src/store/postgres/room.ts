import type { Instant } from "../../core/job.js";
import type { BoundedQueueRow, Room as RoomOfQueue } from "../admission.js";
import { CancelWaiting } from "./cancel-waiting.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { KEYED, pendingOfLane } from "./lane-floors.js";
import { lockNumber } from "./lock-number.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

const WAITING = ["blocked", "scheduled", "pending"] as const;

/** Makes room for new jobs in queues with a limit. */
export class Room {
  readonly #cancel;
  readonly #current;
  readonly #bounded;
  readonly #lock;
  readonly #waiting;
  readonly #oldest;

  constructor(context: PostgresContext) {
    const { s } = context;
    this.#cancel = new CancelWaiting(context);
    this.#current = new CurrentClaim(context);
    this.#bounded = new Statement<[names: readonly string[]], BoundedQueueRow>(
      `SELECT name, max_length, on_full FROM ${s}.queues WHERE name = ANY($1::text[]) AND max_length IS NOT NULL`,
    );
    this.#lock = new Statement<[names: readonly string[]], never>(
      `SELECT pg_advisory_xact_lock(number)::text FROM (
         SELECT DISTINCT hashtextextended(name, ${lockNumber("room", s)}) AS number
         FROM unnest($1::text[]) AS queue (name) ORDER BY 1
       ) AS queues`,
    );
    this.#waiting = new Statement<
      [names: readonly string[]],
      { queue: string; waiting: number; pending: number }
    >(
      `SELECT queue, sum(n)::bigint AS waiting,
         coalesce(sum(n) FILTER (WHERE state = 'pending'), 0)::bigint AS pending
       FROM ${s}.counts WHERE queue = ANY($1::text[]) AND state IN ('blocked', 'scheduled', 'pending')
       GROUP BY queue`,
    );
    this.#oldest = new Statement<
      [queue: string, count: number, now: Instant, except: readonly number[]],
      { id: number }
    >(
      `SELECT job.id FROM ${s}.lanes AS lane CROSS JOIN LATERAL (
         (SELECT id, run_at ${pendingOfLane(s, "$3::bigint")} AND id <> ALL($4::bigint[]) ORDER BY run_at, id LIMIT $2)
         UNION ALL
         SELECT first.* FROM generate_series(0, 9) AS level CROSS JOIN LATERAL (
           SELECT id, run_at FROM ${s}.jobs WHERE state = 'pending' AND keys IS NOT NULL AND jobs.queue = lane.queue
             AND jobs.name = lane.name AND jobs.priority = level AND id <> ALL($4::bigint[])
           ORDER BY run_at, id LIMIT $2
         ) AS first WHERE lane.priority = ${String(KEYED)}
       ) AS job
       WHERE lane.queue = $1 ORDER BY job.run_at, job.id LIMIT $2`,
    );
  }

  /**
   * Nobody else who asks for it brings jobs into those of the queues that have a limit until the transaction ends. All
   * queues at once and before any row of a job is locked, so that no two wait for each other.
   */
  async lock(tx: Transaction, queues: readonly string[]): Promise<void> {
    const bounded = await this.#bounded.all(tx, queues);
    if (bounded.length === 0) return;
    await this.#lock.all(
      tx,
      bounded.map(({ name }) => name),
    );
  }

  /** Those of the queues that have a limit. */
  async of(tx: Transaction, queues: readonly string[]): Promise<RoomOfQueue[]> {
    const limited = await this.#bounded.all(tx, queues);
    if (limited.length === 0) return [];
    const counted = await this.#waiting.all(
      tx,
      limited.map(({ name }) => name),
    );
    return limited.map((queue) => {
      const { waiting = 0, pending = 0 } = counted.find((count) => count.queue === queue.name) ?? {};
      const unwritten = WAITING.map((state) => tx.ledger.unwritten(queue.name, state));
      return {
        ...queue,
        waiting: waiting + unwritten.reduce((sum, n) => sum + n, 0),
        pending: pending + tx.ledger.unwritten(queue.name, "pending"),
      };
    });
  }

  /** Where others claim the oldest ones this very moment, they make the room themselves. */
  async drop(tx: Transaction, queue: string, count: number, except: readonly number[]): Promise<void> {
    if (count === 0) return;
    const oldest = await this.#oldest.all(tx, queue, count, tx.now, except);
    const rows = await this.#current.lock(
      tx,
      oldest.map(({ id }) => String(id)),
    );
    await this.#cancel.drop(
      tx,
      [...rows.values()].filter(({ state }) => state === "pending"),
    );
  }
}
