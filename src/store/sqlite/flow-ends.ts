import type { Clock } from "../../core/clock.js";
import type { OnFailure } from "../../core/flow-request.js";
import { isFinished, type JobState, type TransitionName } from "../../core/states.js";
import { effectOf, FlowBook, keptOpenBy, type EndedJob } from "../flow-book.js";
import { finishFlow, type FlowRow } from "../flow-rows.js";
import type { JobRow } from "../rows.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Connection } from "./connection.js";
import type { Ledger } from "./ledger.js";
import type { StepHook } from "./steps.js";

/** Jobs that are told of an end in the transaction of that end; the others are told later. */
const TOLD_AT_ONCE = 1_000;

interface OpenDependency {
  readonly job_id: number;
  readonly on_failure: OnFailure;
}

type BlockedRow = Pick<
  JobRow,
  "id" | "queue" | "name" | "state" | "attempt" | "run_at" | "waiting" | "flow_id"
>;

/** Tells jobs that what they wait for has ended. All statements of that are here. */
export class FlowEnds {
  readonly book = new FlowBook();
  readonly #open;
  readonly #resolve;
  readonly #forget;
  readonly #get;
  readonly #waitLess;
  readonly #unblock;
  readonly #delayOf;
  readonly #cancel;
  readonly #keepReason;
  readonly #waitAgain;
  readonly #stillWaits;
  readonly #tellLater;
  readonly #told;
  readonly #toTell;
  readonly #count;
  readonly #finish;
  readonly #removeFlow;

  constructor(
    db: Connection,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly changes: ChangeFeed,
    private readonly step: StepHook,
  ) {
    this.#open = db.prepare<[number, string, number], OpenDependency>(
      `SELECT job_id, on_failure FROM dependencies
       WHERE on_id = ? AND resolved = 0 AND on_failure <> ? ORDER BY job_id LIMIT ?`,
    );
    this.#resolve = db.prepare<[number, number]>(
      "UPDATE dependencies SET resolved = 1 WHERE on_id = ? AND job_id = ?",
    );
    this.#forget = db.prepare<[number, number]>("DELETE FROM dependencies WHERE on_id = ? AND job_id = ?");
    this.#get = db.prepare<[number], BlockedRow>(
      "SELECT id, queue, name, state, attempt, run_at, waiting, flow_id FROM jobs WHERE id = ?",
    );
    this.#waitLess = db.prepare<[number]>("UPDATE jobs SET waiting = waiting - 1 WHERE id = ?");
    this.#unblock = db.prepare<[JobState, number, number]>(
      "UPDATE jobs SET state = ?, run_at = ?, waiting = 0 WHERE id = ?",
    );
    this.#delayOf = db
      .prepare<[number], number | null>("SELECT delay_ms FROM job_specs WHERE job_id = ?")
      .pluck();
    this.#cancel = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'cancelled', finished_at = ?, waiting = 0 WHERE id = ?",
    );
    this.#keepReason = db.prepare<[number, number]>(
      `INSERT INTO cancellations (job_id, reason, about) VALUES (?, 'dependency', ?)
       ON CONFLICT DO UPDATE SET reason = excluded.reason, about = excluded.about`,
    );
    this.#waitAgain = db.prepare<[number]>(
      `UPDATE dependencies SET resolved = NOT EXISTS (
         SELECT 1 FROM jobs WHERE id = on_id AND state NOT IN ('completed', 'dead', 'cancelled')
       ) WHERE job_id = ?`,
    );
    // A flow that is not open holds its jobs besides.
    this.#stillWaits = db
      .prepare<[number, number, number], number>(
        `SELECT (SELECT count(*) FROM dependencies WHERE job_id = ? AND resolved = 0)
           + (stage <> 'open' AND opened_to < ?) FROM flows WHERE id = ?`,
      )
      .pluck();
    this.#tellLater = db.prepare<[number]>(
      "INSERT INTO ends_to_tell (job_id) VALUES (?) ON CONFLICT DO NOTHING",
    );
    this.#told = db.prepare<[number]>("DELETE FROM ends_to_tell WHERE job_id = ?");
    this.#toTell = db
      .prepare<[number], number>("SELECT job_id FROM ends_to_tell ORDER BY job_id LIMIT ?")
      .pluck();
    this.#count = db.prepare<
      [jobs: number, completed: number, dead: number, cancelled: number, id: number],
      Pick<FlowRow, "jobs">
    >(
      `UPDATE flows SET jobs = jobs + ?, completed = completed + ?, dead = dead + ?,
         cancelled = cancelled + ? WHERE id = ? RETURNING jobs`,
    );
    this.#finish = db.prepare<[number, number]>(`UPDATE flows SET ${finishFlow("?")} WHERE id = ?`);
    this.#removeFlow = db.prepare<[number]>("DELETE FROM flows WHERE id = ? AND stage <> 'making'");
  }

  /** At the end of the transaction, before the ledger is written. */
  flush(): void {
    if (this.book.empty) return;
    this.#tell(TOLD_AT_ONCE);
    this.#writeCounts();
    this.step("flows");
  }

  /** Whether there are ends that were not told to all. */
  hasToTell(): boolean {
    return this.#toTell.get(1) !== undefined;
  }

  /**
   * Goes on with ends that were not told to all, for about so many jobs.
   *
   * @returns how many were told
   */
  goOn(limit: number): number {
    for (const id of this.#toTell.all(limit)) {
      this.#told.run(id);
      // Somebody may have retried it meanwhile: then it ends again.
      this.book.tellAgain(id, this.#get.get(id)?.state);
    }
    const left = this.#tell(limit);
    this.#writeCounts();
    return limit - left;
  }

  /** It waits for one less: for a dependency, or for its flow to be opened. */
  waitsLess(row: BlockedRow): void {
    if (row.waiting > 1) this.#waitLess.run(row.id);
    else this.#release(row);
  }

  /**
   * A job that had ended goes on. It waits for those that have not ended; the others it does without, however they
   * ended.
   *
   * @returns how many it waits for
   */
  reopen({ id, flow_id: flowId, state }: Pick<JobRow, "id" | "flow_id" | "state">): number {
    if (flowId === null || !isFinished(state)) return 0;
    this.book.reopened(flowId, state);
    this.#waitAgain.run(id);
    return this.#stillWaits.get(id, id, flowId) ?? 0;
  }

  /** @returns how many more could be told */
  #tell(limit: number): number {
    let left = limit;
    for (let ended = this.book.takeEnded(); ended.length > 0; ended = this.book.takeEnded()) {
      for (const one of ended) {
        if (left > 0) left -= this.#tellDependants(one, left);
        else if (this.#open.get(one.id, keptOpenBy(one.end), 1) !== undefined) this.#tellLater.run(one.id);
      }
    }
    return left;
  }

  #tellDependants(ended: EndedJob, limit: number): number {
    const dependencies = this.#open.all(ended.id, keptOpenBy(ended.end), limit + 1);
    for (const dependency of dependencies.slice(0, limit)) this.#tellOne(ended, dependency);
    if (dependencies.length > limit) this.#tellLater.run(ended.id);
    return Math.min(dependencies.length, limit);
  }

  #tellOne({ id, end }: EndedJob, { job_id, on_failure }: OpenDependency): void {
    if (end === "deleted") this.#forget.run(id, job_id);
    else this.#resolve.run(id, job_id);
    const row = this.#get.get(job_id);
    if (row?.state !== "blocked") return;
    if (effectOf(end, on_failure) === "waits less") this.waitsLess(row);
    else this.#cancelDependant(row, id);
  }

  #release(row: BlockedRow): void {
    const now = this.clock.now();
    const delayMs = this.#delayOf.get(row.id) ?? 0;
    // Not before now: the time that it was blocked is no time that it waited for a worker.
    const runAt = Math.max(row.run_at, now) + delayMs;
    const state = runAt > now ? "scheduled" : "pending";
    this.#unblock.run(state, runAt, row.id);
    if (state === "pending") this.changes.pending(row.queue);
    else this.changes.scheduled();
    this.#moved(row, "unblock", state);
  }

  #cancelDependant(row: BlockedRow, about: number): void {
    this.#cancel.run(this.clock.now(), row.id);
    this.#keepReason.run(row.id, about);
    this.#moved(row, "cancel", "cancelled");
    this.ledger.lane(row.queue, row.name).count("cancelled");
    if (row.flow_id !== null) this.book.ended(row.id, row.flow_id, "cancelled");
  }

  #moved(row: BlockedRow, transition: TransitionName, to: JobState): void {
    this.ledger.lane(row.queue, row.name).moved(row.id, transition, "blocked", to, row.attempt);
  }

  #writeCounts(): void {
    const now = this.clock.now();
    for (const [id, { jobs, completed, dead, cancelled }] of this.book.takeChanges()) {
      const row = this.#count.get(jobs, completed, dead, cancelled, id);
      if (row?.jobs === 0) this.#removeFlow.run(id);
      else this.#finish.run(now, id);
    }
  }
}
