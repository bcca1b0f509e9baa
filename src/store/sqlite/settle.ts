import { MAX_ATTEMPTS_KEPT } from "../../core/defaults.js";
import type { JobState } from "../../core/states.js";
import type { FailedSettlement, Failure, Settled, Settlement } from "../claims.js";
import {
  endingOf,
  eventsOf,
  isCompletion,
  isRepeat,
  type Completion,
  type Ending,
  deadlock,
  waitingFor,
  type UnfinishedSettlement,
  type Wait,
} from "../endings.js";
import { Complete } from "./complete.js";
import type { SqliteContext } from "./context.js";
import { Holds } from "./holds.js";
import type { CurrentClaim } from "./current-claim.js";
import { WaitForJobs } from "./wait.js";
import type { JobRow } from "../rows.js";

/** Ends claims. All statements of fail, release and snooze are here; `complete.ts` has those of success. */
export class Settle {
  readonly #complete;
  readonly #endJob;
  readonly #waits;
  readonly #insertAttempt;
  readonly #dropOldAttempts;
  readonly #findAttempt;
  readonly #holds;

  constructor(
    private readonly context: SqliteContext,
    private readonly current: CurrentClaim,
  ) {
    const { db } = context;
    this.#complete = new Complete(context);
    this.#waits = new WaitForJobs(context);
    this.#holds = new Holds(context);
    // The guard stands in the statement itself although the row was read before, in the same transaction:
    // whatever is changed above, a stale claim cannot pass here. What has started does not expire.
    this.#endJob = db.prepare<[JobState, number, number, number | null, number | null, number, number]>(
      `UPDATE jobs SET state = ?, run_at = ?, attempt = ?, started_at = ?, finished_at = ?, lease_until = 0,
         expires_at = NULL
       WHERE id = ? AND token = ? AND state = 'running'`,
    );
    // A restored file may hold a record of this attempt already. That one stays; failing here would keep
    // every job of the same reaping from its recovery.
    this.#insertAttempt = db.prepare(
      `INSERT INTO attempts
         (job_id, token, number, worker_id, started_at, finished_at, outcome, error, retry_delay_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#dropOldAttempts = db.prepare<[number, number]>(
      "DELETE FROM attempts WHERE job_id = ? AND number <= ?",
    );
    this.#findAttempt = db
      .prepare<[number, number], string>("SELECT outcome FROM attempts WHERE job_id = ? AND token = ?")
      .pluck();
  }

  /**
   * Runs inside a write transaction. Successes first, all of them at once, but for those that come after another end of
   * the same job: what was said first holds. The answers keep the order.
   */
  apply(settlements: readonly Settlement[]): Settled[] {
    const late = completionsAfterAnotherEnd(settlements);
    const completed = this.#complete.apply(
      settlements.filter(isCompletion).filter((settlement) => !late.has(settlement)),
    );
    return settlements.map((settlement) => {
      if (!isCompletion(settlement)) return this.#applyUnfinished(settlement);
      const settled = late.has(settlement)
        ? this.#complete.apply([settlement]).get(settlement)
        : completed.get(settlement);
      return settled ?? this.#repeated(settlement);
    });
  }

  #applyUnfinished(settlement: UnfinishedSettlement | Wait): Settled {
    const row = this.current.find(settlement);
    if (typeof row === "string") return this.#repeated(settlement);
    return settlement.verb === "wait" ? this.#wait(row, settlement) : this.#endClaim(row, settlement);
  }

  #wait(row: JobRow, settlement: Wait): Settled {
    const waiting = this.#waits.begin(row, settlement.refs);
    if (waiting === "cycle") return this.#endClaim(row, deadlock(settlement));
    return this.#end(row, settlement, waitingFor(row, waiting, this.context.clock.now()));
  }

  /** The reaper's form: a lease that was extended in the meantime is left alone. */
  applyIfExpired(settlement: FailedSettlement): Settled {
    const row = this.current.find(settlement);
    if (typeof row === "string") return { ok: false, reason: row };
    if (row.lease_until > this.context.clock.now()) return { ok: false, reason: "reclaimed" };
    return this.#endClaim(row, settlement);
  }

  #endClaim(row: JobRow, settlement: UnfinishedSettlement): Settled {
    return this.#end(row, settlement, endingOf(row, settlement, this.context.clock.now()));
  }

  #end(row: JobRow, settlement: UnfinishedSettlement | Wait, ending: Ending): Settled {
    const now = this.context.clock.now();
    const { changes } = this.#endJob.run(
      ending.state,
      ending.runAt,
      ending.attempt,
      ending.startedAt,
      ending.finishedAt,
      row.id,
      row.token,
    );
    if (changes !== 1) throw new Error(`The claim of job ${row.id} was lost inside a transaction`);
    this.context.step("settle:job");
    this.#record(row, settlement, now);
    if (settlement.verb === "snooze") this.#holds.apply(row, settlement, now);
    this.#account(row, settlement, ending, now);
    return { ok: true, state: ending.state, runAt: ending.runAt };
  }

  #record(row: JobRow, settlement: UnfinishedSettlement | Wait, now: number): void {
    if (settlement.verb === "retry") this.#recordFailure(row, settlement.failure, settlement.delayMs, now);
    if (settlement.verb === "bury") this.#recordFailure(row, settlement.failure, null, now);
  }

  #recordFailure(row: JobRow, failure: Failure, retryDelayMs: number | null, now: number): void {
    this.#insertAttempt.run(
      row.id,
      row.token,
      row.attempt,
      row.worker_id ?? "",
      row.started_at ?? now,
      now,
      failure.outcome,
      JSON.stringify(failure.error),
      retryDelayMs,
    );
    if (row.attempt > MAX_ATTEMPTS_KEPT) this.#dropOldAttempts.run(row.id, row.attempt - MAX_ATTEMPTS_KEPT);
    this.context.step("settle:attempt");
  }

  #account(row: JobRow, settlement: UnfinishedSettlement | Wait, ending: Ending, now: number): void {
    const lane = this.context.ledger.lane(row.queue, row.name);
    lane.moved(row.id, ending.transition, "running", ending.state, ending.attempt);
    if (row.flow_id !== null && ending.state === "dead")
      this.context.flows.book.ended(row.id, row.flow_id, "dead");
    for (const event of eventsOf(settlement)) lane.count(event);
    if (settlement.verb === "retry" || settlement.verb === "bury") {
      lane.duration("run", now - (row.started_at ?? now));
    }
    if (ending.state === "pending") this.context.changes.pending(row.queue);
    if (ending.state === "scheduled") this.context.changes.scheduled();
  }

  /** The claim is not the current one: perhaps because this very settlement was made already. */
  #repeated(settlement: Settlement): Settled {
    const row = this.current.row(settlement.id);
    return row !== undefined && isRepeat(settlement, row, this.#findAttempt.get(row.id, settlement.token))
      ? { ok: true, state: row.state, runAt: row.run_at }
      : { ok: false, reason: this.current.lossReason(settlement) };
  }
}

function completionsAfterAnotherEnd(settlements: readonly Settlement[]): ReadonlySet<Completion> {
  const ended = new Set<string>();
  const late = new Set<Completion>();
  for (const settlement of settlements) {
    if (!isCompletion(settlement)) ended.add(settlement.id);
    else if (ended.has(settlement.id)) late.add(settlement);
  }
  return late;
}
