import type { Clock } from "../../core/clock.js";
import type { OnFailure } from "../../core/flow-request.js";
import type { FinishedState, JobState, TransitionName } from "../../core/states.js";
import { isFinished } from "../../core/states.js";
import { finishFlow, type FlowRow } from "../flow-rows.js";
import { FlowTally, type FlowChange } from "../flow-tally.js";
import type { JobRow } from "../rows.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Connection } from "./connection.js";
import type { Ledger } from "./ledger.js";
import type { StepHook } from "./steps.js";

/** Jobs that are told of an end in the transaction of that end; the others are told later. */
const TOLD_AT_ONCE = 1_000;

/** How a job ended, for those that depend on it. */
type End = FinishedState | "deleted";

interface EndedJob {
  readonly id: number;
  readonly end: End;
}

interface OpenDependency {
  readonly job_id: number;
  readonly on_failure: OnFailure;
}

type BlockedRow = Pick<
  JobRow,
  "id" | "queue" | "name" | "state" | "attempt" | "run_at" | "waiting" | "flow_id"
>;

/**
 * What the jobs of flows have to know of each other, kept within the transactions that change them: whoever ends a
 * job of a flow says so here, and before the commit those that waited for it are told.
 */
export class FlowEnds {
  readonly #tally = new FlowTally();
  readonly #ended: EndedJob[] = [];
  readonly #open;
  readonly #resolve;
  readonly #forget;
  readonly #get;
  readonly #waitLess;
  readonly #unblock;
  readonly #delayOf;
  readonly #cancel;
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
    this.#waitLess = db.prepare<[number, number]>("UPDATE jobs SET waiting = waiting - ? WHERE id = ?");
    this.#unblock = db.prepare<[JobState, number, number]>(
      "UPDATE jobs SET state = ?, run_at = ?, waiting = 0 WHERE id = ?",
    );
    this.#delayOf = db
      .prepare<[number], number | null>("SELECT delay_ms FROM job_specs WHERE job_id = ?")
      .pluck();
    this.#cancel = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'cancelled', finished_at = ?, waiting = 0 WHERE id = ?",
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
    this.#count = db.prepare<[FlowChange & { id: number }], Pick<FlowRow, "jobs">>(
      `UPDATE flows SET jobs = jobs + :jobs, completed = completed + :completed, dead = dead + :dead,
         cancelled = cancelled + :cancelled WHERE id = :id RETURNING jobs`,
    );
    this.#finish = db.prepare<[number, number]>(`UPDATE flows SET ${finishFlow("?")} WHERE id = ?`);
    this.#removeFlow = db.prepare<[number]>("DELETE FROM flows WHERE id = ? AND stage <> 'making'");
  }

  /** A job of this flow has ended. */
  ended(id: number, flowId: number, state: FinishedState): void {
    this.#tally.ended(flowId, state);
    this.#ended.push({ id, end: state });
  }

  /** A job of this flow is about to be removed. */
  removed(id: number, flowId: number, state: JobState): void {
    if (isFinished(state)) this.#tally.reopened(flowId, state);
    this.#tally.removed(flowId);
    this.#ended.push({ id, end: "deleted" });
  }

  /** Something new depends on a job that had ended before. */
  tellAgain(id: number, end: End): void {
    this.#ended.push({ id, end });
  }

  /**
   * A job of a flow that had ended goes on. It waits for those that have not ended; the others it does without,
   * however they ended.
   *
   * @returns how many it waits for
   */
  reopen({ id, flow_id: flowId, state }: Pick<JobRow, "id" | "flow_id" | "state">): number {
    if (flowId === null || !isFinished(state)) return 0;
    this.#tally.reopened(flowId, state);
    this.#waitAgain.run(id);
    return this.#stillWaits.get(id, id, flowId) ?? 0;
  }

  added(flowId: number, jobs: number): void {
    this.#tally.added(flowId, jobs);
  }

  /** At the end of the transaction, before the ledger is written. */
  flush(): void {
    if (this.#tally.empty && this.#ended.length === 0) return;
    this.#tell(TOLD_AT_ONCE);
    this.#writeTally();
    this.step("flows");
  }

  /**
   * Goes on with ends that were not told to all, for about so many jobs.
   *
   * @returns how many were told
   */
  goOn(limit: number): number {
    let left = limit;
    for (const id of this.#toTell.all(limit)) {
      if (left <= 0) break;
      this.#told.run(id);
      const row = this.#get.get(id);
      // Somebody has retried it meanwhile: it will end again.
      if (row !== undefined && !isFinished(row.state)) continue;
      this.#ended.push({ id, end: row === undefined ? "deleted" : (row.state as FinishedState) });
      left = this.#tell(left);
    }
    this.#writeTally();
    return limit - left;
  }

  /** One dependency less, or the hold of a flow that was not open. */
  waitsLess(row: BlockedRow, by: number): void {
    if (row.state !== "blocked") return;
    if (row.waiting > by) this.#waitLess.run(by, row.id);
    else this.#release(row);
  }

  clear(): void {
    this.#tally.clear();
    this.#ended.length = 0;
  }

  /** @returns how many more could be told */
  #tell(limit: number): number {
    let left = limit;
    // Grows while it is walked: who is cancelled has ended as well.
    for (const ended of this.#ended) {
      if (left > 0) left -= this.#tellDependants(ended, left);
      else if (this.#open.all(ended.id, exceptOf(ended), 1).length > 0) this.#tellLater.run(ended.id);
    }
    this.#ended.length = 0;
    return left;
  }

  #tellDependants(ended: EndedJob, limit: number): number {
    const dependencies = this.#open.all(ended.id, exceptOf(ended), limit + 1);
    for (const dependency of dependencies.slice(0, limit)) this.#tellOne(ended, dependency);
    if (dependencies.length > limit) this.#tellLater.run(ended.id);
    return Math.min(dependencies.length, limit);
  }

  #tellOne({ id, end }: EndedJob, { job_id, on_failure }: OpenDependency): void {
    if (end === "deleted") this.#forget.run(id, job_id);
    else this.#resolve.run(id, job_id);
    const row = this.#get.get(job_id);
    if (row?.state !== "blocked") return;
    if (end === "completed" || on_failure === "run") this.waitsLess(row, 1);
    else this.#cancelDependant(row);
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

  #cancelDependant(row: BlockedRow): void {
    this.#cancel.run(this.clock.now(), row.id);
    this.#moved(row, "cancel", "cancelled");
    this.ledger.lane(row.queue, row.name).count("cancelled");
    if (row.flow_id !== null) this.ended(row.id, row.flow_id, "cancelled");
  }

  #moved(row: BlockedRow, transition: TransitionName, to: JobState): void {
    this.ledger.lane(row.queue, row.name).moved(row.id, transition, "blocked", to, row.attempt);
  }

  #writeTally(): void {
    const now = this.clock.now();
    for (const [id, change] of this.#tally.take()) {
      if (this.#count.get({ id, ...change })?.jobs === 0) this.#removeFlow.run(id);
      else this.#finish.run(now, id);
    }
  }
}

/** Dependencies that stay open at this end: they wait until somebody retries the job. */
function exceptOf({ end }: EndedJob): OnFailure | "none" {
  return end === "dead" || end === "cancelled" ? "block" : "none";
}
