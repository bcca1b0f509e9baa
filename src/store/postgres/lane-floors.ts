import type { Instant } from "../../core/job.js";
import type { Committer } from "./committer.js";
import type { DatabaseClock } from "./database-clock.js";
import { lockNumber } from "./lock-number.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** The pending jobs of one queue, name and priority in claim order: a range of one index. */
export interface LaneKey {
  readonly queue: string;
  readonly name: string;
  readonly priority: number;
}

/**
 * Whoever makes a job pending whose time is no longer past than this needs no lock: floors are not raised so far
 * before the commit is there.
 */
const LATE_AFTER_MS = 5_000;
/** How far behind the present a floor stays. */
const SETTLED_AFTER_MS = 10_000;
/** Jobs taken from a lane until its floor is raised: each leaves an entry in the index that a claim passes over. */
const RAISE_AFTER = 1_000;
/** How often it is looked whether a commit that took too long has left a job below a floor. */
const CHECK_EVERY_MS = 60_000;

/**
 * The pending jobs of the lane `lane` as a claim reads them, to go behind a SELECT list.
 *
 * A floor that is not in the past comes from before the clock was set back, and says nothing.
 *
 * @param now an expression for the time
 */
export function pendingOfLane(s: string, now: string): string {
  return `FROM ${s}.jobs WHERE state = 'pending' AND jobs.queue = lane.queue AND jobs.name = lane.name
    AND jobs.priority = lane.priority
    AND run_at >= CASE WHEN floor > ${now} - ${SETTLED_AFTER_MS} THEN 0 ELSE floor END`;
}

/** What a transaction that makes old jobs pending does before its commit. */
export class LowerFloors {
  readonly #lock;
  readonly #lower;

  constructor(s: string) {
    // Shared: it keeps nobody waiting but who is about to raise the floor, and that one does not wait.
    this.#lock = new Statement<
      [queues: readonly string[], names: readonly string[], priorities: readonly number[]],
      never
    >(
      `SELECT pg_advisory_xact_lock_shared(${laneLock(s)})::text
       FROM unnest($1::text[], $2::text[], $3::smallint[]) AS late (queue, name, priority)`,
    );
    // After the lock, so that a floor that was raised until then is seen.
    this.#lower = new Statement<
      [
        queues: readonly string[],
        names: readonly string[],
        priorities: readonly number[],
        runAts: readonly Instant[],
      ],
      never
    >(
      `WITH late AS (
         SELECT lane.*, late.run_at FROM ${s}.lanes AS lane
         JOIN unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[]) AS late (queue, name, priority, run_at)
           USING (queue, name, priority)
         WHERE floor > late.run_at ORDER BY queue, name, priority FOR NO KEY UPDATE OF lane
       )
       UPDATE ${s}.lanes SET floor = late.run_at FROM late
       WHERE lanes.queue = late.queue AND lanes.name = late.name AND lanes.priority = late.priority`,
    );
  }

  async below(tx: Transaction, jobs: readonly (LaneKey & { readonly runAt: Instant })[]): Promise<void> {
    if (jobs.length === 0) return;
    const queues = jobs.map(({ queue }) => queue);
    const names = jobs.map(({ name }) => name);
    const priorities = jobs.map(({ priority }) => priority);
    await this.#lock.run(tx, queues, names, priorities);
    await this.#lower.run(
      tx,
      queues,
      names,
      priorities,
      jobs.map(({ runAt }) => runAt),
    );
  }
}

/** The oldest job of each lane that a transaction has made pending. */
export class MadePending {
  readonly #oldest = new Map<string, LaneKey & { readonly runAt: Instant }>();

  add({ queue, name, priority }: LaneKey, runAt: Instant): void {
    // Names have no line breaks.
    const key = `${queue}\n${name}\n${String(priority)}`;
    const known = this.#oldest.get(key);
    if (known === undefined || runAt < known.runAt) this.#oldest.set(key, { queue, name, priority, runAt });
  }

  /** Those whose commit may come after a floor is raised above them. */
  late(now: Instant): (LaneKey & { readonly runAt: Instant })[] {
    return this.all().filter(({ runAt }) => runAt < now - LATE_AFTER_MS);
  }

  all(): (LaneKey & { readonly runAt: Instant })[] {
    return [...this.#oldest.values()];
  }
}

/**
 * Raises the floors of lanes: claims look from there on.
 *
 * Each job that was taken leaves an entry at the head of the lane's index range. VACUUM removes them, but not while
 * any transaction of the database is open that began before. Without a floor each claim would pass over all of them.
 *
 * Nothing depends on it, so nothing waits for it, and nothing fails with it.
 */
export class LaneFloors {
  readonly #taken = new Map<string, number>();
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
           SELECT run_at FROM ${s}.jobs WHERE state = 'pending' AND jobs.queue = lane.queue
             AND jobs.name = lane.name AND jobs.priority = lane.priority AND run_at < floor ORDER BY run_at, id LIMIT 1
         ) AS job
       )
       UPDATE ${s}.lanes SET floor = run_at FROM left_behind AS job
       WHERE lanes.queue = job.queue AND lanes.name = job.name AND lanes.priority = job.priority`,
    );
  }

  /** A claim has taken jobs. */
  taken(jobs: readonly LaneKey[]): void {
    for (const lane of jobs) {
      const key = `${lane.queue}\n${lane.name}\n${String(lane.priority)}`;
      const taken = (this.#taken.get(key) ?? 0) + 1;
      if (taken < RAISE_AFTER) {
        this.#taken.set(key, taken);
      } else {
        this.#taken.delete(key);
        this.raise(lane).catch(() => undefined);
      }
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

function laneLock(s: string): string {
  return `hashtextextended(queue || chr(10) || name || chr(10) || priority, ${lockNumber("lane floors", s)})`;
}
