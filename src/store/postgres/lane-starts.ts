import type { Instant } from "../../core/job.js";
import type { DatabaseClock } from "./database-clock.js";
import { laneKeyText, type LaneKey } from "./lane-floors.js";

/** How long a job that became pending before others that are just being claimed may be passed over. */
const LOOK_EVERY_MS = 250;
/** Jobs taken since the last look from the floor: fewer leave too little behind to be worth skipping. */
const MANY = 100;
/** Queues that are remembered: their names come from users, and to forget costs no more than a look from the floor. */
const MAX_QUEUES = 1_000;

/** Where a claim begins in a lane. */
export interface LaneStart extends LaneKey {
  readonly runAt: Instant;
}

interface Lane {
  /** When a claim last began at the floor. */
  readonly lookedAt: number;
  /** Since then. */
  taken: number;
  start: LaneStart;
}

/**
 * Where this process's next claims begin in lanes that it has just taken many jobs from.
 *
 * A floor stays ten seconds behind the present, and at twenty thousand jobs a second a claim would pass over two hundred
 * thousand entries of jobs that are done. While every claim gets all that it asks for, it goes on where the last one
 * ended, and begins at the floor again every quarter of a second: what others have let go, or made pending late, waits
 * for that and for the claim that is under way then.
 */
export class LaneStarts {
  /** By queue, and there by lane. */
  readonly #queues = new Map<string, Map<string, Lane>>();

  constructor(private readonly clock: Pick<DatabaseClock, "monotonic">) {}

  /**
   * Of the lanes of a queue that a claim for these names takes from. The others begin at their floors.
   *
   * The claim that meets a lane when its quarter of a second is over is the one that looks from the floor. One for other
   * names would not, and a claim that is under way could put its start back.
   *
   * @param names `null` for all
   */
  of(queue: string, names: readonly string[] | null): LaneStart[] {
    const lanes = this.#queues.get(queue);
    if (lanes === undefined) return [];
    const lookedAfter = this.clock.monotonic() - LOOK_EVERY_MS;
    const starts: LaneStart[] = [];
    for (const [key, { lookedAt, taken, start }] of lanes) {
      if (names !== null && !names.includes(start.name)) continue;
      if (lookedAt <= lookedAfter) lanes.delete(key);
      else if (taken >= MANY) starts.push(start);
    }
    return starts;
  }

  /** A claim has taken these, and got all that it asked for. */
  took(jobs: readonly LaneStart[]): void {
    let last: LaneStart | null = null;
    let lane: Lane | null = null;
    for (const job of jobs) {
      if (lane === null || last === null || !isSameLane(job, last)) lane = this.#lane(job);
      lane.taken += 1;
      if (job.runAt > lane.start.runAt) lane.start = startOf(job);
      last = job;
    }
  }

  /** A claim of this queue got less than it asked for. */
  forget(queue: string): void {
    this.#queues.delete(queue);
  }

  #lane(job: LaneStart): Lane {
    let lanes = this.#queues.get(job.queue);
    if (lanes === undefined) {
      if (this.#queues.size >= MAX_QUEUES) this.#queues.clear();
      this.#queues.set(job.queue, (lanes = new Map<string, Lane>()));
    }
    const key = laneKeyText(job);
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = { lookedAt: this.clock.monotonic(), taken: 0, start: startOf(job) };
      lanes.set(key, lane);
    }
    return lane;
  }
}

function startOf({ queue, name, priority, runAt }: LaneStart): LaneStart {
  return { queue, name, priority, runAt };
}

function isSameLane(a: LaneKey, b: LaneKey): boolean {
  return a.queue === b.queue && a.name === b.name && a.priority === b.priority;
}
