import type { Instant } from "../../core/job.js";
import { lockNumber } from "./lock-number.js";
import { Statement } from "./statement.js";
import type { Queryable } from "./connection.js";

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
export const SETTLED_AFTER_MS = 10_000;
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

  async below(tx: Queryable, jobs: readonly (LaneKey & { readonly runAt: Instant })[]): Promise<void> {
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

/** Number of the lock of a lane, of columns of that name. */
export function laneLock(s: string): string {
  return `hashtextextended(queue || chr(10) || name || chr(10) || priority, ${lockNumber("lane floors", s)})`;
}
