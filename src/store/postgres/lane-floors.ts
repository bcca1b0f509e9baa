import type { Instant } from "../../core/job.js";
import type { JobRow } from "../rows.js";
import type { Queryable } from "./connection.js";
import { lockNumber } from "./lock-number.js";
import { Statement } from "./statement.js";

/** The pending jobs without keys of one queue, name and priority in claim order: a range of one index. */
export interface LaneKey {
  readonly queue: string;
  readonly name: string;
  readonly priority: number;
}

/** In place of a priority: the jobs of the queue and name that have keys. They have no floor. */
export const KEYED = -1;

/** What says in which lane a job is when it is pending. */
export type LanedJob = Pick<JobRow, "queue" | "name" | "priority" | "keys">;

export function laneOf({ queue, name, priority, keys }: LanedJob): LaneKey {
  return { queue, name, priority: keys === null ? priority : KEYED };
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
 * A floor that is nearer to the present than this comes from before the clock was set back, and says nothing. It is less
 * than floors stay behind, because a claim that began a moment before a raise meets the new floor.
 *
 * @param now an expression for the time
 */
export function pendingOfLane(s: string, now: string): string {
  return `FROM ${s}.jobs WHERE state = 'pending' AND keys IS NULL AND jobs.queue = lane.queue AND jobs.name = lane.name
    AND jobs.priority = lane.priority
    AND run_at >= CASE WHEN floor > ${now} - ${LATE_AFTER_MS} THEN 0 ELSE floor END`;
}

/** A lane in which a job becomes pending, and the earliest `run_at` of those. */
export type PendingLane = LaneKey & { readonly runAt: Instant };

/** What a transaction that makes old jobs pending does before its commit. */
export class LowerFloors {
  readonly #add;
  readonly #lock;
  readonly #lower;

  constructor(s: string) {
    this.#add = new Statement<
      [queues: readonly string[], names: readonly string[], priorities: readonly number[]],
      never
    >(
      `INSERT INTO ${s}.lanes (queue, name, priority) SELECT * FROM unnest($1::text[], $2::text[], $3::smallint[])
       ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
    );
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

  /** In a transaction of the store's own, which ends at once: others wait for the rows of the lanes meanwhile. */
  async below(tx: Queryable, lanes: readonly PendingLane[]): Promise<void> {
    if (lanes.length === 0) return;
    await this.hold(tx, lanes);
    await this.#lower.run(tx, ...columnsOf(lanes), runAtsOf(lanes));
  }

  /** Keeps floors from being raised until the transaction ends. */
  async hold(tx: Queryable, lanes: readonly LaneKey[]): Promise<void> {
    await this.#lock.run(tx, ...columnsOf(lanes));
  }

  /**
   * For a transaction of a caller's that holds the floors, and may stay open for long: adds lanes that are new, and
   * lowers floors, in a transaction of its own. Both do no harm if the other one is rolled back.
   */
  async prepare(tx: Queryable, lanes: readonly PendingLane[]): Promise<void> {
    await this.#add.run(tx, ...columnsOf(lanes));
    await this.#lower.run(tx, ...columnsOf(lanes), runAtsOf(lanes));
  }
}

function columnsOf(
  lanes: readonly LaneKey[],
): [queues: readonly string[], names: readonly string[], priorities: readonly number[]] {
  return [
    lanes.map(({ queue }) => queue),
    lanes.map(({ name }) => name),
    lanes.map(({ priority }) => priority),
  ];
}

function runAtsOf(lanes: readonly PendingLane[]): Instant[] {
  return lanes.map(({ runAt }) => runAt);
}

/** A lane as a key of a map. */
export function laneKeyText({ queue, name, priority }: LaneKey): string {
  // Names have no line breaks.
  return `${queue}\n${name}\n${String(priority)}`;
}

/** The earliest `run_at` of the jobs of each lane. */
export class EarliestOfLanes {
  readonly #earliest = new Map<string, PendingLane>();

  add({ queue, name, priority }: LaneKey, runAt: Instant): void {
    const key = laneKeyText({ queue, name, priority });
    const known = this.#earliest.get(key);
    if (known === undefined || runAt < known.runAt) this.#earliest.set(key, { queue, name, priority, runAt });
  }

  /** Those whose commit may come after a floor is raised above them. */
  late(now: Instant): PendingLane[] {
    return this.all().filter(({ priority, runAt }) => priority !== KEYED && runAt < now - LATE_AFTER_MS);
  }

  all(): PendingLane[] {
    return [...this.#earliest.values()];
  }
}

/** Number of the lock of a lane, of columns of that name. */
export function laneLock(s: string): string {
  return `hashtextextended(queue || chr(10) || name || chr(10) || priority, ${lockNumber("lane floors", s)})`;
}
