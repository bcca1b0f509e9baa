import { assertTransition, JOB_STATES, type JobState, type TransitionName } from "../../core/states.js";
import { DURATION_BOUNDS_MS, type DurationKind, type StatEvent } from "../stats.js";
import type { Connection } from "./connection.js";
import type { StepHook } from "./steps.js";

const MINUTE_MS = 60_000;

/**
 * The bookkeeping of one transaction. Every writer reports its state changes here; before the commit
 * they become a few additions to the counters and roll-ups, whatever the number of jobs.
 */
export class Ledger {
  readonly #lanes = new Map<string, Map<string, Lane>>();
  readonly #dirty = new Set<Lane>();
  readonly #addCount;
  readonly #addEvent;
  readonly #addDuration;

  constructor(
    db: Connection,
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

  /** The bookkeeping of one queue and job name. */
  lane(queue: string, name: string): Lane {
    let names = this.#lanes.get(queue);
    if (names === undefined) {
      names = new Map();
      this.#lanes.set(queue, names);
    }
    let lane = names.get(name);
    if (lane === undefined) {
      lane = new Lane(queue, name);
      names.set(name, lane);
    }
    this.#dirty.add(lane);
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
    if (this.#dirty.size === 0) return;
    this.flushCounts();
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    for (const lane of this.#dirty) {
      for (const [event, n] of lane.events) this.#addEvent.run(minute, lane.queue, lane.name, event, n);
      for (const entry of lane.durations.values()) {
        this.#addDuration.run(minute, lane.queue, lane.name, entry.kind, entry.bucket, entry.n, entry.sumMs);
      }
    }
    this.step("ledger:stats");
    this.clear();
  }

  /** Forgets what was reported: at a rollback, or after a flush. */
  clear(): void {
    for (const lane of this.#dirty) lane.clear();
    this.#dirty.clear();
    // Names come from users: without a bound a flood of them would stay in memory for ever.
    if (this.#lanes.size > MAX_CACHED_QUEUES) this.#lanes.clear();
    for (const [queue, names] of this.#lanes) {
      if (names.size > MAX_CACHED_NAMES) this.#lanes.delete(queue);
    }
  }
}

const MAX_CACHED_QUEUES = 1_000;
const MAX_CACHED_NAMES = 1_000;

interface DurationEntry {
  readonly kind: DurationKind;
  readonly bucket: number;
  n: number;
  sumMs: number;
}

const STATE_INDEX = Object.fromEntries(JOB_STATES.map((state, index) => [state, index])) as Record<
  JobState,
  number
>;

/** What happened to the jobs of one queue and name since the last flush. */
export class Lane {
  readonly counts = new Array<number>(JOB_STATES.length).fill(0);
  readonly events = new Map<StatEvent, number>();
  readonly durations = new Map<string, DurationEntry>();

  constructor(
    readonly queue: string,
    readonly name: string,
  ) {}

  /** A job was inserted in this state. */
  inserted(state: JobState): void {
    this.#add(state, 1);
    this.count("enqueued");
  }

  /** A job changed its state. Throws when the state machine does not know the change. */
  moved(transition: TransitionName, from: JobState, to: JobState): void {
    assertTransition(transition, from, to);
    this.#add(from, -1);
    this.#add(to, 1);
  }

  deleted(state: JobState): void {
    this.#add(state, -1);
  }

  count(event: StatEvent): void {
    this.events.set(event, (this.events.get(event) ?? 0) + 1);
  }

  /** A wall clock may have stepped back in between: a duration is never negative. */
  duration(kind: DurationKind, ms: number): void {
    const length = Math.max(0, ms);
    const bucket = bucketOf(length);
    const key = `${kind}${bucket}`;
    const entry = this.durations.get(key);
    if (entry === undefined) this.durations.set(key, { kind, bucket, n: 1, sumMs: length });
    else {
      entry.n += 1;
      entry.sumMs += length;
    }
  }

  clear(): void {
    this.counts.fill(0);
    this.events.clear();
    this.durations.clear();
  }

  #add(state: JobState, change: number): void {
    const index = STATE_INDEX[state];
    this.counts[index] = (this.counts[index] ?? 0) + change;
  }
}

/** Index of the bucket for a duration, from 0; the last one is for all longer than the bounds. */
function bucketOf(ms: number): number {
  const index = DURATION_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return index === -1 ? DURATION_BOUNDS_MS.length : index;
}
