import { assertTransition, JOB_STATES, type JobState, type TransitionName } from "../../core/states.js";
import {
  DURATION_BOUNDS_MS,
  DURATION_KINDS,
  STAT_EVENTS,
  type DurationKind,
  type StatEvent,
} from "../stats.js";
import type { Connection } from "./connection.js";
import type { Journal } from "./journal.js";
import type { StepHook } from "./steps.js";

const MINUTE_MS = 60_000;

/**
 * The bookkeeping of one transaction. Every writer reports its state changes here; before the commit
 * they become a few additions to the counters and roll-ups, whatever the number of jobs, and events of
 * the journal.
 */
export class Ledger {
  readonly #lanes = new Map<string, Map<string, Lane>>();
  readonly #dirty = new Set<Lane>();
  /** The lane asked for last; it is in `#dirty`. */
  #last: Lane | null = null;
  readonly #addCount;
  readonly #addEvent;
  readonly #addDuration;

  constructor(
    db: Connection,
    private readonly journal: Journal,
    private readonly step: StepHook,
  ) {
    this.#addCount = db.prepare(
      `INSERT INTO counts (queue, name, state, n) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    );
    this.#addEvent = db.prepare(
      `INSERT INTO minute_events (minute, queue, name, event, n) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    );
    this.#addDuration = db.prepare(
      `INSERT INTO minute_durations (minute, queue, name, kind, bucket, n, sum_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n, sum_ms = sum_ms + excluded.sum_ms`,
    );
  }

  /** At the start of a transaction. */
  begin(now: number): void {
    this.journal.begin(now);
  }

  /** The bookkeeping of one queue and job name. */
  lane(queue: string, name: string): Lane {
    // Batches mostly stay in one lane.
    const last = this.#last;
    if (last?.queue === queue && last.name === name) return last;
    let names = this.#lanes.get(queue);
    if (names === undefined) {
      names = new Map();
      this.#lanes.set(queue, names);
    }
    let lane = names.get(name);
    if (lane === undefined) {
      lane = new Lane(queue, name, this.journal);
      names.set(name, lane);
    }
    this.#dirty.add(lane);
    this.#last = lane;
    return lane;
  }

  /** Writes counters, so that reads in this transaction see them, and at its end. */
  flushCounts(): void {
    for (const lane of this.#dirty) {
      for (const [index, state] of JOB_STATES.entries()) {
        const change = lane.counts[index] ?? 0;
        if (change !== 0) this.#addCount.run(lane.queue, lane.name, state, change);
      }
      lane.counts.fill(0);
    }
    this.step("ledger:counts");
  }

  /** Writes everything, at the end of the transaction. */
  flush(now: number): void {
    this.journal.flush(now);
    if (this.#dirty.size === 0) return;
    this.flushCounts();
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    for (const lane of this.#dirty) {
      for (const event of STAT_EVENTS) {
        const n = lane.events[event];
        if (n > 0) this.#addEvent.run(minute, lane.queue, lane.name, event, n);
      }
      for (const kind of DURATION_KINDS) this.#flushDurations(minute, lane, kind);
    }
    this.step("ledger:stats");
    this.clear();
  }

  #flushDurations(minute: number, lane: Lane, kind: DurationKind): void {
    const { counts, sums } = lane.durations[kind];
    for (const [bucket, n] of counts.entries()) {
      if (n > 0) this.#addDuration.run(minute, lane.queue, lane.name, kind, bucket, n, sums[bucket]);
    }
  }

  /** Forgets what was reported: at a rollback, or after a flush. */
  clear(): void {
    this.journal.clear();
    for (const lane of this.#dirty) lane.clear();
    this.#dirty.clear();
    this.#last = null;
    // Names come from users: without a bound a flood of them would stay in memory for ever.
    if (this.#lanes.size > MAX_CACHED_QUEUES) this.#lanes.clear();
    for (const [queue, names] of this.#lanes) {
      if (names.size > MAX_CACHED_NAMES) this.#lanes.delete(queue);
    }
  }
}

const MAX_CACHED_QUEUES = 1_000;
const MAX_CACHED_NAMES = 1_000;

const STATE_INDEX = Object.fromEntries(JOB_STATES.map((state, index) => [state, index])) as Record<
  JobState,
  number
>;

/** Durations of one kind, by bucket. */
class Durations {
  readonly counts = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  readonly sums = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);

  add(ms: number): void {
    const bucket = bucketOf(ms);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sums[bucket] = (this.sums[bucket] ?? 0) + ms;
  }

  clear(): void {
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
  };

  constructor(
    readonly queue: string,
    readonly name: string,
    private readonly journal: Journal,
  ) {}

  /** A job was inserted in this state. */
  inserted(id: number, state: JobState): void {
    this.#add(state, 1);
    this.count("enqueued");
    this.journal.addJob(id, this.queue, this.name, "enqueue", null, state, 0);
  }

  /**
   * A job changed its state. Throws when the state machine does not know the change.
   *
   * @param attempt attempts that are counted after it
   */
  moved(id: number, transition: TransitionName, from: JobState, to: JobState, attempt: number): void {
    assertTransition(transition, from, to);
    this.#add(from, -1);
    this.#add(to, 1);
    this.journal.addJob(id, this.queue, this.name, transition, from, to, attempt);
  }

  deleted(id: number, state: JobState, attempt: number): void {
    this.#add(state, -1);
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
