import type { Enqueued, Instant } from "../../core/job.js";
import type { OverlapPolicy, ScheduleRunOutcome } from "../../core/schedule.js";
import { outcomesOf, runByHand, runsKept, runsOf, type NewRun } from "../firing.js";
import type { NewJob } from "../jobs.js";
import type { Fired, Firing, NewJobOfSlot } from "../schedules.js";
import type { SqliteContext } from "./context.js";
import type { Enqueue } from "./enqueue.js";

const UNFINISHED = "('blocked', 'scheduled', 'pending', 'running')";

/** Finds a job of a schedule that has not ended. `key` is SQL. */
export function unfinishedJobOf(key: string): string {
  return `SELECT 1 FROM schedule_runs JOIN jobs ON jobs.id = job_id
    WHERE schedule_runs.key = ${key} AND jobs.state IN ${UNFINISHED}`;
}

/** Turns slots into jobs. All statements of firing are here; every method runs inside a write transaction. */
export class Fire {
  readonly #advance;
  readonly #wait;
  readonly #takeWaiting;
  readonly #busy;
  readonly #waits;
  readonly #countEnqueued;
  readonly #countSkipped;
  readonly #markEnqueued;
  readonly #skipWaiting;
  readonly #skipRun;
  readonly #addCount;
  readonly #insertRun;
  readonly #dropOldRuns;
  readonly #dropOldEndedRuns;
  readonly #queue;

  constructor(
    private readonly context: SqliteContext,
    private readonly enqueue: Enqueue,
  ) {
    const { db } = context;
    // The guard: of all that read this slot as the next one, a single one moves the schedule on.
    this.#advance = db.prepare<[number | null, number | null, number, string, number, number]>(
      `UPDATE schedules SET next_slot = ?, next_at = ?, last_slot = ?
       WHERE key = ? AND version = ? AND next_slot = ? AND paused_at IS NULL`,
    );
    this.#wait = db.prepare<[number, string]>("UPDATE schedules SET waiting_slot = ? WHERE key = ?");
    this.#takeWaiting = db.prepare<[string, number]>(
      "UPDATE schedules SET waiting_slot = NULL WHERE key = ? AND waiting_slot = ? AND paused_at IS NULL",
    );
    this.#busy = db.prepare<[string]>(`${unfinishedJobOf("?")} LIMIT 1`);
    this.#waits = db.prepare<[string]>("SELECT 1 FROM schedules WHERE key = ? AND waiting_slot IS NOT NULL");
    this.#countEnqueued = db.prepare<[string]>("UPDATE schedules SET enqueued = enqueued + 1 WHERE key = ?");
    this.#countSkipped = db.prepare<[string]>("UPDATE schedules SET skipped = skipped + 1 WHERE key = ?");
    this.#markEnqueued = db.prepare<[number, string, string, number]>(
      `UPDATE schedule_runs SET outcome = 'enqueued', fired_at = ?, job_id = ?
       WHERE key = ? AND slot = ? AND outcome = 'waiting'`,
    );
    this.#skipWaiting = db.prepare<[string]>(
      `UPDATE schedules SET waiting_slot = NULL, skipped = skipped + 1
       WHERE key = ? AND waiting_slot IS NOT NULL`,
    );
    this.#skipRun = db.prepare<[string]>(
      "UPDATE schedule_runs SET outcome = 'skipped' WHERE key = ? AND outcome = 'waiting'",
    );
    this.#addCount = db
      .prepare<[ScheduleRunOutcome, ScheduleRunOutcome, ScheduleRunOutcome, string], number>(
        `UPDATE schedules SET last_seq = last_seq + 1, enqueued = enqueued + (? = 'enqueued'),
           skipped = skipped + (? = 'skipped'), missed_count = missed_count + (? = 'missed')
         WHERE key = ? RETURNING last_seq`,
      )
      .pluck();
    this.#insertRun = db.prepare(
      `INSERT INTO schedule_runs (key, seq, slot, through, manual, fired_at, outcome, job_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#dropOldRuns = db.prepare<[string, number]>("DELETE FROM schedule_runs WHERE key = ? AND seq <= ?");
    this.#dropOldEndedRuns = db.prepare<[string, number]>(
      `DELETE FROM schedule_runs WHERE key = ? AND seq <= ? AND outcome <> 'waiting' AND NOT EXISTS (
         SELECT 1 FROM jobs WHERE id = job_id AND state IN ${UNFINISHED})`,
    );
    this.#queue = db.prepare<[string], string>("SELECT job ->> 'queue' FROM schedules WHERE key = ?").pluck();
  }

  slots(firing: Firing): Fired[] | null {
    const { key, version, slot, last, next, overlap } = firing;
    const { changes } = this.#advance.run(next?.slot ?? null, next?.at ?? null, last, key, version, slot);
    if (changes === 0) return null;
    this.context.step("fire:advance");
    const fired = this.#slots(firing);
    const runs = runsOf(firing, fired);
    let seq = 0;
    for (const run of runs) seq = this.#record(key, run);
    this.context.step("fire:runs");
    this.#dropRuns(key, seq - runsKept(runs.length), overlap);
    return fired;
  }

  startWaiting(key: string, { slot, job }: NewJobOfSlot): Fired | null {
    if (this.#isBusy(key)) return null;
    if (this.#takeWaiting.run(key, slot).changes === 0) return null;
    this.context.step("fire:advance");
    const made = this.enqueue.insertDue(job);
    if (made === null) {
      this.#countSkipped.run(key);
      this.#skipRun.run(key);
      this.#report(key, "skipped", slot, null);
      return { key, slot, outcome: "skipped", jobId: null };
    }
    const { id } = made;
    this.#markEnqueued.run(this.context.clock.now(), id, key, slot);
    this.#countEnqueued.run(key);
    this.#report(key, "enqueued", slot, id);
    this.context.step("fire:runs");
    return { key, slot, outcome: "enqueued", jobId: id };
  }

  /** The policy has changed and lets no slot wait: the one that did is skipped. */
  dropWaiting(key: string): void {
    if (this.#skipWaiting.run(key).changes > 0) this.#skipRun.run(key);
  }

  byHand(key: string, { slot, job }: NewJobOfSlot, overlap: OverlapPolicy): Enqueued {
    const [enqueued] = this.enqueue.insertAll([job]);
    if (enqueued === undefined) throw new Error("An insert was not answered");
    const seq = this.#record(key, runByHand(slot, enqueued.id));
    this.context.step("fire:runs");
    this.#dropRuns(key, seq - runsKept(1), overlap);
    return enqueued;
  }

  #dropRuns(key: string, upTo: number, overlap: OverlapPolicy): void {
    // Where overlaps matter, unfinished jobs are found by their entries.
    const drop = overlap === "allow" ? this.#dropOldRuns : this.#dropOldEndedRuns;
    drop.run(key, upTo);
  }

  #isBusy(key: string): boolean {
    return this.#busy.get(key) !== undefined;
  }

  #slots(firing: Firing): Fired[] {
    const { key, overlap, jobs } = firing;
    const waits = overlap !== "allow" && this.#waits.get(key) !== undefined;
    const busy = overlap !== "allow" && this.#isBusy(key);
    const outcomes = outcomesOf(firing, waits, busy);
    return jobs.map(({ slot, job }, index) => {
      const outcome = outcomes[index] ?? "skipped";
      if (outcome === "waiting") this.#wait.run(slot, key);
      if (outcome !== "enqueued") return { key, slot, outcome, jobId: null };
      const jobId = this.#make(firing, slot, job);
      return { key, slot, outcome: jobId === null ? "skipped" : "enqueued", jobId };
    });
  }

  #make({ delayMs }: Firing, slot: Instant, job: NewJob): string | null {
    const now = this.context.clock.now();
    const made = this.enqueue.insertDue(job);
    if (made === null) return null;
    this.context.ledger.lane(made.queue, made.name).duration("lag", now - (slot + delayMs));
    return made.id;
  }

  #record(key: string, { slot, through, manual, outcome, jobId }: NewRun): number {
    const seq = this.#addCount.get(outcome, outcome, outcome, key);
    if (seq === undefined) throw new Error(`Schedule ${key} was lost inside a transaction`);
    const now = this.context.clock.now();
    this.#insertRun.run(key, seq, slot, through, manual ? 1 : 0, now, outcome, jobId);
    this.#report(key, outcome, slot, jobId);
    return seq;
  }

  #report(key: string, outcome: ScheduleRunOutcome, slot: Instant, jobId: string | null): void {
    const { journal } = this.context;
    if (!journal.recording) return;
    const queue = this.#queue.get(key);
    if (queue === undefined) throw new Error(`Schedule ${key} was lost inside a transaction`);
    const action = outcome === "enqueued" ? "fired" : outcome;
    journal.add({ type: "schedule", key, queue, action, slot, jobId });
  }
}
