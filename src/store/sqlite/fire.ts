import { MAX_SCHEDULE_RUNS_KEPT } from "../../core/defaults.js";
import type { Enqueued, Instant } from "../../core/job.js";
import type { OverlapPolicy, ScheduleRunOutcome } from "../../core/schedule.js";
import type { Fired, Firing, NewJobOfSlot } from "../schedules.js";
import type { SqliteContext } from "./context.js";
import type { Enqueue } from "./enqueue.js";

const UNFINISHED = "('blocked', 'scheduled', 'pending', 'running')";

interface Run {
  readonly slot: Instant;
  readonly through: Instant;
  readonly manual: boolean;
  readonly outcome: ScheduleRunOutcome;
  readonly jobId: string | null;
}

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
    this.#wait = db.prepare<[number, string]>(
      "UPDATE schedules SET waiting_slot = ? WHERE key = ? AND waiting_slot IS NULL",
    );
    this.#takeWaiting = db.prepare<[string, number]>(
      "UPDATE schedules SET waiting_slot = NULL WHERE key = ? AND waiting_slot = ? AND paused_at IS NULL",
    );
    this.#busy = db.prepare<[string]>(`${unfinishedJobOf("?")} LIMIT 1`);
    this.#waits = db.prepare<[string]>("SELECT 1 FROM schedules WHERE key = ? AND waiting_slot IS NOT NULL");
    this.#countEnqueued = db.prepare<[string]>("UPDATE schedules SET enqueued = enqueued + 1 WHERE key = ?");
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
    const { key, version, slot, last, next, missed, jobs, overlap } = firing;
    const { changes } = this.#advance.run(next?.slot ?? null, next?.at ?? null, last, key, version, slot);
    if (changes === 0) return null;
    this.context.step("fire:advance");
    let seq = 0;
    if (missed !== null) {
      seq = this.#record(key, {
        slot: missed.from,
        through: missed.through,
        manual: false,
        outcome: "missed",
        jobId: null,
      });
    }
    const fired: Fired[] = [];
    for (const job of jobs) {
      const one = this.#slot(firing, job);
      const { outcome, jobId } = one;
      // At once: the next slot of this very firing must find its job.
      seq = this.#record(key, { slot: one.slot, through: one.slot, manual: false, outcome, jobId });
      fired.push(one);
    }
    this.context.step("fire:runs");
    // One firing may write more entries than are kept; it is shown whole until the next one.
    const kept = Math.max(MAX_SCHEDULE_RUNS_KEPT, jobs.length + (missed === null ? 0 : 1));
    this.#dropRuns(key, seq - kept, overlap);
    return fired;
  }

  startWaiting(key: string, { slot, job }: NewJobOfSlot): Fired | null {
    if (this.#isBusy(key)) return null;
    if (this.#takeWaiting.run(key, slot).changes === 0) return null;
    this.context.step("fire:advance");
    const { id } = this.enqueue.insert(job, this.context.clock.now());
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
    const enqueued = this.enqueue.insert(job, this.context.clock.now());
    const run = { slot, through: slot, manual: true, outcome: "enqueued", jobId: enqueued.id } as const;
    const seq = this.#record(key, run);
    this.context.step("fire:runs");
    this.#dropRuns(key, seq - MAX_SCHEDULE_RUNS_KEPT, overlap);
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

  #slot({ key, overlap, delayMs }: Firing, { slot, job }: NewJobOfSlot): Fired {
    // A slot that waits still has to make its job, and goes first.
    const held = overlap !== "allow" && (this.#waits.get(key) !== undefined || this.#isBusy(key));
    if (!held) {
      const now = this.context.clock.now();
      const { id, queue, name } = this.enqueue.insert(job, now);
      this.context.ledger.lane(queue, name).duration("lag", now - (slot + delayMs));
      return { key, slot, outcome: "enqueued", jobId: id };
    }
    const waits = overlap === "queue" && this.#wait.run(slot, key).changes === 1;
    return { key, slot, outcome: waits ? "waiting" : "skipped", jobId: null };
  }

  #record(key: string, { slot, through, manual, outcome, jobId }: Run): number {
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
