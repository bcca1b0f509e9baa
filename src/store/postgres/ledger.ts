import { JOB_STATES, type JobState } from "../../core/states.js";
import type { Instant } from "../../core/job.js";
import { Lane } from "../lane.js";
import { DURATION_KINDS, STAT_EVENTS } from "../stats.js";
import type { Changes } from "./changes.js";
import type { Queryable } from "./connection.js";
import { DeadGroups, DeadGroupStatements } from "./dead-groups.js";
import { Journal, JournalStatements } from "./journal.js";
import { Statement } from "./statement.js";

export class LedgerStatements {
  readonly add;
  readonly journal;
  readonly deadGroups;

  constructor(s: string) {
    this.journal = new JournalStatements(s);
    this.deadGroups = new DeadGroupStatements(s);
    // The answer is as of now, not as of the begin of the transaction: who wants events waits for those that have
    // asked before.
    this.add = new Statement<[at: Instant, deltas: string], { wanted_until: number; latest: number | null }>(
      `WITH added AS (
         INSERT INTO ${s}.deltas (at, queue, name, counts, events, durations, notes)
         SELECT $1, queue, name, counts, events, durations, notes FROM jsonb_to_recordset($2::jsonb)
           AS delta (queue text, name text, counts jsonb, events jsonb, durations jsonb, notes int)
         RETURNING id
       )
       SELECT wanted_until, (SELECT max(id) FROM added) AS latest FROM ${s}.journal`,
    );
  }
}

/** When events are written: while somebody wants them, or whether anybody does or not. */
type Recording = "while wanted" | "in any case";

/**
 * The bookkeeping of one transaction. Every writer reports its state changes here; before the commit they become
 * one row for each queue and name, whatever the number of jobs, and events of the journal.
 */
export class Ledger {
  readonly journal;
  readonly #deadGroups;
  readonly #lanes = new Map<string, Lane>();
  readonly #notes = new Map<Lane, number>();

  constructor(private readonly statements: LedgerStatements) {
    this.journal = new Journal(statements.journal);
    this.#deadGroups = new DeadGroups(statements.deadGroups);
  }

  /** The bookkeeping of one queue and job name. */
  lane(queue: string, name: string): Lane {
    // Names have no line breaks.
    const key = `${queue}\n${name}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(queue, name, this.journal, this.#deadGroups);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** What it adds to the number of jobs of a queue in a state, and nobody can read yet. */
  unwritten(queue: string, state: JobState): number {
    const index = JOB_STATES.indexOf(state);
    let sum = 0;
    for (const lane of this.#lanes.values()) if (lane.queue === queue) sum += lane.counts[index] ?? 0;
    return sum;
  }

  /** A job of this queue and name changed in a way that shows in no count. */
  note(queue: string, name: string): void {
    const lane = this.lane(queue, name);
    this.#notes.set(lane, (this.#notes.get(lane) ?? 0) + 1);
  }

  /**
   * Writes everything, at the end of the transaction.
   *
   * @param changes what is told after the commit
   */
  async flush(db: Queryable, now: Instant, changes: Changes, recording: Recording): Promise<void> {
    await this.#deadGroups.flush(db);
    if (this.#lanes.size === 0 && this.journal.empty) return;
    for (const { queue, freed } of this.#lanes.values()) if (freed) changes.freed(queue);
    const deltas = [...this.#lanes.values()].map((lane) => this.#delta(lane));
    const row = await this.statements.add.get(db, now, JSON.stringify(deltas));
    changes.latestDelta = row?.latest ?? 0;
    const wantedUntil = recording === "in any case" ? Infinity : (row?.wanted_until ?? 0);
    if (await this.journal.flush(db, now, wantedUntil)) changes.events();
  }

  #delta(lane: Lane) {
    const counts = JOB_STATES.map((state, index) => [state, lane.counts[index] ?? 0] as const);
    const events = STAT_EVENTS.map((event) => [event, lane.events[event]] as const);
    return {
      queue: lane.queue,
      name: lane.name,
      counts: Object.fromEntries(counts.filter(([, n]) => n !== 0)),
      events: Object.fromEntries(events.filter(([, n]) => n !== 0)),
      durations: DURATION_KINDS.flatMap((kind) => durationsOf(lane, kind)),
      notes: this.#notes.get(lane) ?? 0,
    };
  }
}

function durationsOf({ durations }: Lane, kind: (typeof DURATION_KINDS)[number]) {
  const { counts, sums, empty } = durations[kind];
  if (empty) return [];
  return counts
    .map((n, bucket) => ({ kind, bucket, n, sum_ms: sums[bucket] ?? 0 }))
    .filter(({ n }) => n !== 0);
}
