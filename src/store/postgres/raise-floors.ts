import type { Instant } from "../../core/job.js";
import type { Committer } from "./committer.js";
import type { DatabaseClock } from "./database-clock.js";
import { laneKeyText, laneLock, pendingOfLane, SETTLED_AFTER_MS, type LaneKey } from "./lane-floors.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** Jobs taken from a lane until its floor is raised: each leaves an entry in the index that a claim passes over. */
const RAISE_AFTER = 1_000;
/** The least time between two raises of a lane: floors stay behind the present anyway. */
const RAISE_EVERY_MS = 2_000;
/** How often it is looked whether a commit that took too long has left a job below a floor. */
const CHECK_EVERY_MS = 60_000;

/**
 * Raises the floors of lanes: claims look from there on.
 *
 * Each job that was taken leaves an entry at the head of the lane's index range. VACUUM removes them, but not while
 * any transaction of the database is open that began before. Without a floor each claim would pass over all of them.
 *
 * Nothing depends on it, so nothing waits for it, and nothing fails with it.
 */
export class RaiseFloors {
  readonly #lanes = new Map<string, { taken: number; raisedAt: number }>();
  readonly #lock;
  readonly #raise;
  readonly #check;
  #checkedAt: number;

  constructor(
    s: string,
    private readonly committer: Committer,
    private readonly clock: DatabaseClock,
  ) {
    this.#checkedAt = clock.monotonic();
    this.#lock = new Statement<[queue: string, name: string, priority: number], { mine: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${laneLock(s)}) AS mine
       FROM (VALUES ($1::text, $2::text, $3::smallint)) AS lane (queue, name, priority)`,
    );
    this.#raise = new Statement<[queue: string, name: string, priority: number, now: Instant], never>(
      `UPDATE ${s}.lanes AS lane SET floor = least($4::bigint - ${SETTLED_AFTER_MS},
         (SELECT run_at ${pendingOfLane(s, "$4::bigint")} ORDER BY run_at, id LIMIT 1))
       WHERE queue = $1 AND name = $2 AND priority = $3`,
    );
    this.#check = new Statement<[], never>(
      `WITH left_behind AS (
         SELECT lane.*, job.run_at FROM ${s}.lanes AS lane CROSS JOIN LATERAL (
           SELECT run_at FROM ${s}.jobs WHERE state = 'pending' AND keys IS NULL AND jobs.queue = lane.queue
             AND jobs.name = lane.name AND jobs.priority = lane.priority AND run_at < floor ORDER BY run_at, id LIMIT 1
         ) AS job
       )
       UPDATE ${s}.lanes SET floor = run_at FROM left_behind AS job
       WHERE lanes.queue = job.queue AND lanes.name = job.name AND lanes.priority = job.priority`,
    );
  }

  /** A claim has taken jobs. */
  taken(jobs: readonly LaneKey[]): void {
    const now = this.clock.monotonic();
    for (const job of jobs) {
      const key = laneKeyText(job);
      let lane = this.#lanes.get(key);
      if (lane === undefined) this.#lanes.set(key, (lane = { taken: 0, raisedAt: Number.NEGATIVE_INFINITY }));
      lane.taken += 1;
      if (lane.taken < RAISE_AFTER || now - lane.raisedAt < RAISE_EVERY_MS) continue;
      lane.taken = 0;
      lane.raisedAt = now;
      this.raise(job).catch(() => undefined);
    }
  }

  /** Called again and again while somebody claims. */
  checkNowAndThen(): void {
    const now = this.clock.monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.#checkedAt = now;
    this.check().catch(() => undefined);
  }

  async raise({ queue, name, priority }: LaneKey): Promise<void> {
    await this.#quietly(async (tx) => {
      const free = await this.#lock.get(tx, queue, name, priority);
      // In a statement of its own: what whoever has let the lock go has committed must be seen.
      if (free?.mine === true) await this.#raise.run(tx, queue, name, priority, tx.now);
    });
  }

  async check(): Promise<void> {
    await this.#quietly(async (tx) => {
      await this.#check.run(tx);
    });
  }

  async #quietly(work: (tx: Transaction) => Promise<void>): Promise<void> {
    try {
      await this.committer.write(work);
    } catch {
      // The next one does it.
    }
  }
}
