import { JOB_STATES } from "../../core/states.js";
import { Lane } from "../lane.js";
import { DURATION_KINDS, STAT_EVENTS, STEP_MS, type DurationKind, type StatStep } from "../stats.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Connection } from "./connection.js";
import { DeadGroups } from "./dead-groups.js";
import type { Journal } from "./journal.js";
import type { StepHook } from "./steps.js";

/**
 * The bookkeeping of one transaction. Every writer reports its state changes here; before the commit
 * they become a few additions to the counters and roll-ups, whatever the number of jobs, and events of
 * the journal. The groups of dead jobs are changed at once: of those there are few.
 */
export class Ledger {
  readonly #lanes = new Map<string, Map<string, Lane>>();
  readonly #dirty = new Set<Lane>();
  /** The lane asked for last; it is in `#dirty`. */
  #last: Lane | null = null;
  #transaction = 0;
  readonly #addCount;
  readonly #addTotalEvent;
  readonly #addTotalDuration;
  readonly #addEvent;
  readonly #addDuration;
  readonly #deadGroups;

  constructor(
    db: Connection,
    private readonly journal: Journal,
    private readonly changes: Pick<ChangeFeed, "freed">,
    private readonly step: StepHook,
  ) {
    this.#addCount = db.prepare(
      `INSERT INTO counts (queue, name, state, n) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    );
    this.#deadGroups = new DeadGroups(db, step);
    const add = "ON CONFLICT DO UPDATE SET n = n + excluded.n";
    const addWithSum = `${add}, sum_ms = sum_ms + excluded.sum_ms`;
    this.#addTotalEvent = db.prepare(
      `INSERT INTO total_events (queue, name, event, n) VALUES (?, ?, ?, ?) ${add}`,
    );
    this.#addTotalDuration = db.prepare(
      `INSERT INTO total_durations (queue, name, kind, bucket, n, sum_ms) VALUES (?, ?, ?, ?, ?, ?)
       ${addWithSum}`,
    );
    const addEvent = (step: StatStep) =>
      db.prepare(`INSERT INTO ${step}_events (${step}, queue, name, event, n) VALUES (?, ?, ?, ?, ?) ${add}`);
    const addDuration = (step: StatStep) =>
      db.prepare(
        `INSERT INTO ${step}_durations (${step}, queue, name, kind, bucket, n, sum_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?) ${addWithSum}`,
      );
    this.#addEvent = { minute: addEvent("minute"), hour: addEvent("hour") };
    this.#addDuration = { minute: addDuration("minute"), hour: addDuration("hour") };
  }

  /** Number of the present transaction, so that what is read in it can be kept until its end. */
  get transaction(): number {
    return this.#transaction;
  }

  /** At the start of a transaction. */
  begin(now: number): void {
    this.#transaction += 1;
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
      lane = new Lane(queue, name, this.journal, this.#deadGroups);
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
    const begins = { minute: beginOf("minute", now), hour: beginOf("hour", now) };
    for (const lane of this.#dirty) {
      this.#flushEvents(lane, begins);
      if (lane.freed) this.changes.freed(lane.queue);
      for (const kind of DURATION_KINDS) this.#flushDurations(lane, kind, begins);
    }
    this.step("ledger:stats");
    this.clear();
  }

  #flushEvents({ queue, name, events }: Lane, { minute, hour }: Begins): void {
    for (const event of STAT_EVENTS) {
      const n = events[event];
      if (n === 0) continue;
      this.#addTotalEvent.run(queue, name, event, n);
      this.#addEvent.hour.run(hour, queue, name, event, n);
      this.#addEvent.minute.run(minute, queue, name, event, n);
    }
  }

  #flushDurations({ queue, name, durations }: Lane, kind: DurationKind, { minute, hour }: Begins): void {
    const { counts, sums, empty } = durations[kind];
    if (empty) return;
    for (const [bucket, n] of counts.entries()) {
      if (n === 0) continue;
      const sum = sums[bucket];
      this.#addTotalDuration.run(queue, name, kind, bucket, n, sum);
      this.#addDuration.hour.run(hour, queue, name, kind, bucket, n, sum);
      this.#addDuration.minute.run(minute, queue, name, kind, bucket, n, sum);
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

/** When the roll-ups of this moment begin. */
type Begins = Readonly<Record<StatStep, number>>;

function beginOf(step: StatStep, now: number): number {
  return Math.floor(now / STEP_MS[step]) * STEP_MS[step];
}

const MAX_CACHED_QUEUES = 1_000;
const MAX_CACHED_NAMES = 1_000;
