import { assertTransition, JOB_STATES, type JobState, type TransitionName } from "../core/states.js";
import type { JobEvent } from "../core/journal.js";
import {
  DURATION_BOUNDS_MS,
  DURATION_KINDS,
  STAT_EVENTS,
  type DurationKind,
  type StatEvent,
} from "./stats.js";

/** Where a lane's changes of single jobs go. */
export interface JobJournal {
  addJob(
    id: number,
    queue: string,
    name: string,
    transition: JobEvent["transition"],
    from: JobState | null,
    to: JobState | null,
    attempt: number,
  ): void;
}

/** Keeps the groups of dead jobs. */
export interface DeadJobs {
  /** The job is dead now. */
  joined(id: number, queue: string, name: string): void;
  /** The job is not dead any more, or is gone. */
  left(id: number): void;
}

const STATE_INDEX = Object.fromEntries(JOB_STATES.map((state, index) => [state, index])) as Record<
  JobState,
  number
>;

/** Durations of one kind, by bucket. */
class Durations {
  readonly counts = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  readonly sums = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  /** Most kinds of most lanes stay empty: those are neither searched nor cleared. */
  empty = true;

  add(ms: number): void {
    this.empty = false;
    const bucket = bucketOf(ms);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sums[bucket] = (this.sums[bucket] ?? 0) + ms;
  }

  clear(): void {
    if (this.empty) return;
    this.empty = true;
    this.counts.fill(0);
    this.sums.fill(0);
  }
}

/** What happened to the jobs of one queue and name since the last flush. */
export class Lane {
  readonly counts = new Array<number>(JOB_STATES.length).fill(0);
  readonly events = Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as Record<StatEvent, number>;
  readonly durations: Readonly<Record<DurationKind, Durations>> = {
    wait: new Durations(),
    run: new Durations(),
    lag: new Durations(),
  };

  /** Whether a running job came to an end, so that a limit may let in another one. */
  freed = false;

  constructor(
    readonly queue: string,
    readonly name: string,
    private readonly journal: JobJournal,
    private readonly deadGroups: DeadJobs,
  ) {}

  /** A job was inserted in this state. */
  inserted(id: number, state: JobState): void {
    this.#add(state, 1);
    this.count("enqueued");
    this.journal.addJob(id, this.queue, this.name, "enqueue", null, state, 0);
  }

  /**
   * A job changed its state. Throws when the state machine does not know the change. One that died has the
   * record of its last attempt by now.
   *
   * @param attempt attempts that are counted after it
   */
  moved(id: number, transition: TransitionName, from: JobState, to: JobState, attempt: number): void {
    assertTransition(transition, from, to);
    this.#add(from, -1);
    this.#add(to, 1);
    if (from === "running") this.freed = true;
    if (to === "dead") this.deadGroups.joined(id, this.queue, this.name);
    else if (from === "dead") this.deadGroups.left(id);
    this.journal.addJob(id, this.queue, this.name, transition, from, to, attempt);
  }

  deleted(id: number, state: JobState, attempt: number): void {
    this.#add(state, -1);
    if (state === "running") this.freed = true;
    if (state === "dead") this.deadGroups.left(id);
    this.journal.addJob(id, this.queue, this.name, "delete", state, null, attempt);
  }

  count(event: StatEvent): void {
    this.events[event] += 1;
  }

  /** A wall clock may have stepped back in between: a duration is never negative. */
  duration(kind: DurationKind, ms: number): void {
    this.durations[kind].add(Math.max(0, ms));
  }

  clear(): void {
    this.counts.fill(0);
    this.freed = false;
    for (const event of STAT_EVENTS) this.events[event] = 0;
    for (const kind of DURATION_KINDS) this.durations[kind].clear();
  }

  #add(state: JobState, change: number): void {
    const index = STATE_INDEX[state];
    this.counts[index] = (this.counts[index] ?? 0) + change;
  }
}

/** Index of the bucket for a duration, from 0; the last one is for all longer than the bounds. */
function bucketOf(ms: number): number {
  let bucket = 0;
  for (const bound of DURATION_BOUNDS_MS) {
    if (ms <= bound) return bucket;
    bucket += 1;
  }
  return bucket;
}
