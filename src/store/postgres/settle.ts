import { MAX_ATTEMPTS_KEPT } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";
import type { FailedSettlement, Failure, Settled, Settlement } from "../claims.js";
import {
  deadlock,
  endingOf,
  eventsOf,
  isCompletion,
  isRepeat,
  waitingFor,
  type Ending,
  type Wait,
} from "../endings.js";
import { rowId, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { Holds } from "./holds.js";
import { held, STILL_RUNNING, type CurrentClaim } from "./current-claim.js";
import { isFinished } from "../../core/states.js";
import { Statement } from "./statement.js";
import type { WaitForJobs } from "./wait.js";
import type { Transaction } from "./transaction.js";

type CompletedRow = Pick<
  JobRow,
  "id" | "queue" | "name" | "priority" | "run_at" | "attempt" | "started_at" | "flow_id" | "keys"
>;

/** A claim that ends. */
interface Ended<Row extends CompletedRow = CompletedRow> {
  readonly row: Row;
  readonly settlement: Settlement;
  readonly ending: Ending;
}

/** Ends claims, a whole batch with a few statements. All of them are here. */
export class Settle {
  readonly #complete;
  readonly #end;
  readonly #insertResults;
  readonly #insertAttempts;
  readonly #dropOldAttempts;
  readonly #findAttempt;
  readonly #holds;

  constructor(
    { s }: PostgresContext,
    private readonly current: CurrentClaim,
    private readonly waits: WaitForJobs,
  ) {
    // The guards stand in the statements themselves although rows may have been locked before: whatever is changed above,
    // a stale claim cannot pass here. No two claims have the same token.
    // What has started does not expire.
    this.#holds = new Holds(s);
    // The guards stand in the statements themselves although the rows were locked before: whatever is changed above, a
    // stale claim cannot pass here. No two claims have the same token.
    // Rows are found by their ids as values: a join would read the whole table where the planner knows nothing of it.
    // And they are locked in the order in which others lock rows, which an UPDATE by itself takes as its plan has it.
    this.#complete = new Statement<
      [ids: readonly number[], tokens: readonly number[], finishedAt: Instant],
      CompletedRow
    >(
      `WITH held AS MATERIALIZED (
         SELECT jobs.id FROM ${s}.jobs JOIN unnest($1::bigint[], $2::bigint[]) AS ended (id, token) USING (id, token)
         WHERE jobs.id = ANY($1) AND ${STILL_RUNNING} ORDER BY jobs.id FOR UPDATE OF jobs
       )
       UPDATE ${s}.jobs SET state = 'completed', finished_at = $3, lease_until = 0
       WHERE id = ANY(ARRAY(SELECT id FROM held))
       RETURNING id, queue, name, priority, run_at, attempt, started_at, flow_id, keys`,
    );
    this.#end = new Statement<
      [
        ids: readonly number[],
        tokens: readonly number[],
        states: readonly string[],
        runAts: readonly number[],
        attempts: readonly number[],
        startedAts: readonly (number | null)[],
        finishedAts: readonly (number | null)[],
      ],
      never
    >(
      `UPDATE ${s}.jobs SET state = ended.state, run_at = ended.run_at, attempt = ended.attempt,
         started_at = ended.started_at, finished_at = ended.finished_at, lease_until = 0,
         expires_at = CASE ended.state WHEN 'completed' THEN expires_at END
       FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::bigint[])
         AS ended (id, token, state, run_at, attempt, started_at, finished_at)
       WHERE jobs.id = ANY($1) AND jobs.id = ended.id AND jobs.token = ended.token AND ${STILL_RUNNING}`,
    );
    this.#insertResults = new Statement<
      [ids: readonly number[], results: readonly (string | null)[], problems: readonly (string | null)[]],
      never
    >(
      `INSERT INTO ${s}.job_results (job_id, result, problem) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
       ON CONFLICT (job_id) DO UPDATE SET result = excluded.result, problem = excluded.problem`,
    );
    // A restored database may hold a record of this attempt already. That one stays; failing here would keep every
    // job of the same reaping from its recovery.
    this.#insertAttempts = new Statement<[attempts: string], never>(
      `INSERT INTO ${s}.attempts
         (job_id, token, number, worker_id, started_at, finished_at, outcome, error, retry_delay_ms)
       SELECT job_id, token, number, worker_id, started_at, finished_at, outcome, error, retry_delay_ms
       FROM json_to_recordset($1::json) AS attempt (job_id bigint, token bigint, number int, worker_id text,
         started_at bigint, finished_at bigint, outcome text, error text, retry_delay_ms bigint)
       ON CONFLICT DO NOTHING`,
    );
    this.#dropOldAttempts = new Statement<[id: number, upTo: number], never>(
      `DELETE FROM ${s}.attempts WHERE job_id = $1 AND number <= $2`,
    );
    this.#findAttempt = new Statement<[id: number, token: number], { outcome: string }>(
      `SELECT outcome FROM ${s}.attempts WHERE job_id = $1 AND token = $2`,
    );
  }

  /** In the order of the settlements: one that says the same about the same claim again repeats the first. */
  async apply(tx: Transaction, settlements: readonly Settlement[]): Promise<Settled[]> {
    const completions = onlyCompletions(settlements);
    // All together and in one order: two transactions that meet in two jobs must not wait for each other.
    const locked = completions.length === settlements.length ? null : await this.#lock(tx, settlements);
    const ended = await this.#completeAtOnce(tx, completions);
    const others = settlements.filter((settlement) => !ended.has(settlement));
    if (others.length > 0) await this.#endHeld(tx, others, locked ?? (await this.#lock(tx, others)), ended);
    const answers: Settled[] = [];
    for (const settlement of settlements) {
      const end = ended.get(settlement)?.ending;
      answers.push(
        end === undefined
          ? await this.#repeated(tx, settlement)
          : { ok: true, state: end.state, runAt: end.runAt },
      );
    }
    return answers;
  }

  #lock(tx: Transaction, settlements: readonly Settlement[]): Promise<Map<string, JobRow>> {
    return this.current.lock(
      tx,
      settlements.map(({ id }) => id),
    );
  }

  /** What is said most often: that claims are done. Those that are not the current ones are left out. */
  async #completeAtOnce(
    tx: Transaction,
    completions: readonly Settlement[],
  ): Promise<Map<Settlement, Ended>> {
    const keys = completions.map((settlement) => ({ settlement, id: rowId(settlement.id) ?? 0 }));
    if (keys.length === 0) return new Map();
    const rows = await this.#complete.all(
      tx,
      keys.map(({ id }) => id),
      keys.map(({ settlement }) => settlement.token),
      tx.now,
    );
    const completed = new Map(rows.map((row) => [row.id, row]));
    const ended = keys.flatMap(({ settlement, id }): Ended[] => {
      const row = completed.get(id);
      return row === undefined ? [] : [{ row, settlement, ending: completedAs(row, tx.now) }];
    });
    await this.#keepResults(tx, ended);
    for (const end of ended) account(tx, end);
    return new Map(ended.map((end) => [end.settlement, end]));
  }

  /** Adds those that are the current claims of these rows to `ended`. */
  async #endHeld(
    tx: Transaction,
    settlements: readonly Settlement[],
    rows: ReadonlyMap<string, JobRow>,
    ended: Map<Settlement, Ended>,
  ): Promise<void> {
    const taken = new Set<string>();
    const current: Ended<JobRow>[] = [];
    // What was said, where something else came of it.
    const meant: Settlement[] = [];
    for (const settlement of settlements) {
      const row = held(rows.get(settlement.id), settlement);
      if (typeof row === "string" || taken.has(settlement.id)) continue;
      taken.add(settlement.id);
      meant.push(settlement);
      current.push(await this.#endOf(tx, row, settlement));
    }
    await this.#endAll(tx, current);
    for (const [place, end] of current.entries()) ended.set(meant[place] ?? end.settlement, end);
  }

  async #endOf(tx: Transaction, row: JobRow, settlement: Settlement): Promise<Ended<JobRow>> {
    if (settlement.verb !== "wait") return { row, settlement, ending: endingFor(row, settlement, tx.now) };
    const waiting = await this.waits.begin(tx, row, settlement.refs);
    if (waiting !== "cycle") return { row, settlement, ending: waitingFor(row, waiting, tx.now) };
    const ended = deadlock(settlement);
    return { row, settlement: ended, ending: endingFor(row, ended, tx.now) };
  }

  /** The reaper's form: a lease that was extended in the meantime is left alone. */
  async applyIfExpired(tx: Transaction, settlements: readonly FailedSettlement[]): Promise<Settled[]> {
    const rows = await this.current.lockFree(
      tx,
      settlements.map(({ id }) => id),
    );
    const ended: Ended<JobRow>[] = [];
    const answers = settlements.map((settlement): Settled => {
      const row = held(rows.get(settlement.id), settlement);
      // One that is locked counts as gone: it is looked at again at the next turn of the reaper.
      if (typeof row === "string") return { ok: false, reason: row };
      if (row.lease_until > tx.now) return { ok: false, reason: "reclaimed" };
      const ending = endingFor(row, settlement, tx.now);
      ended.push({ row, settlement, ending });
      return { ok: true, state: ending.state, runAt: ending.runAt };
    });
    await this.#endAll(tx, ended);
    return answers;
  }

  async #endAll(tx: Transaction, ended: readonly Ended<JobRow>[]): Promise<void> {
    if (ended.length === 0) return;
    const changed = await this.#end.run(
      tx,
      ended.map(({ row }) => row.id),
      ended.map(({ settlement }) => settlement.token),
      ended.map(({ ending }) => ending.state),
      ended.map(({ ending }) => ending.runAt),
      ended.map(({ ending }) => ending.attempt),
      ended.map(({ ending }) => ending.startedAt),
      ended.map(({ ending }) => ending.finishedAt),
    );
    if (changed !== ended.length) throw new Error("A claim was lost inside a transaction");
    await this.#keepResults(tx, ended);
    await this.#recordFailures(tx, ended);
    await this.#holds.apply(tx, ended);
    for (const end of ended) account(tx, end);
  }

  async #keepResults(tx: Transaction, ended: readonly Ended[]): Promise<void> {
    const results = ended.flatMap(({ row, settlement }) =>
      isCompletion(settlement) && (settlement.result !== null || settlement.resultProblem !== null)
        ? [{ id: row.id, result: settlement.result, problem: settlement.resultProblem }]
        : [],
    );
    if (results.length === 0) return;
    await this.#insertResults.run(
      tx,
      results.map(({ id }) => id),
      results.map(({ result }) => result),
      results.map(({ problem }) => (problem === null ? null : JSON.stringify(problem))),
    );
  }

  async #recordFailures(tx: Transaction, ended: readonly Ended<JobRow>[]): Promise<void> {
    const failed = ended.flatMap(({ row, settlement }) =>
      settlement.verb === "retry"
        ? [attemptOf(row, settlement.failure, settlement.delayMs, tx.now)]
        : settlement.verb === "bury"
          ? [attemptOf(row, settlement.failure, null, tx.now)]
          : [],
    );
    if (failed.length === 0) return;
    await this.#insertAttempts.run(tx, JSON.stringify(failed));
    for (const { job_id, number } of failed) {
      if (number > MAX_ATTEMPTS_KEPT) await this.#dropOldAttempts.run(tx, job_id, number - MAX_ATTEMPTS_KEPT);
    }
  }

  /** The claim is not the current one: perhaps because this very settlement was made already. */
  async #repeated(tx: Transaction, settlement: Settlement): Promise<Settled> {
    const row = await this.current.row(tx, settlement.id);
    if (row !== undefined && (await this.#saidBefore(tx, settlement, row))) {
      return { ok: true, state: row.state, runAt: row.run_at };
    }
    const reason = held(row, settlement);
    // A claim that another settlement of the same batch has ended is not the current one any more either.
    return { ok: false, reason: typeof reason === "string" ? reason : "reclaimed" };
  }

  /** Whether this claim was settled in just this way: a repeat, because the first answer was lost. */
  async #saidBefore(tx: Transaction, settlement: Settlement, row: JobRow): Promise<boolean> {
    const outcome = (await this.#findAttempt.get(tx, row.id, settlement.token))?.outcome;
    return isRepeat(settlement, row, outcome);
  }
}

/** Those that say that a claim is done which nothing else is said about. */
function onlyCompletions(settlements: readonly Settlement[]): Settlement[] {
  const said = new Map<string, number>();
  for (const { id } of settlements) said.set(id, (said.get(id) ?? 0) + 1);
  return settlements.filter((settlement) => isCompletion(settlement) && said.get(settlement.id) === 1);
}

function endingFor(row: JobRow, settlement: Exclude<Settlement, Wait>, now: Instant): Ending {
  return isCompletion(settlement) ? completedAs(row, now) : endingOf(row, settlement, now);
}

function completedAs({ attempt, run_at: runAt, started_at: startedAt }: CompletedRow, now: Instant): Ending {
  return { transition: "complete", state: "completed", runAt, attempt, startedAt, finishedAt: now };
}

function account(tx: Transaction, { row, settlement, ending }: Ended): void {
  const lane = tx.ledger.lane(row.queue, row.name);
  lane.moved(row.id, ending.transition, "running", ending.state, ending.attempt);
  for (const event of isCompletion(settlement) ? (["completed"] as const) : eventsOf(settlement))
    lane.count(event);
  if (settlement.verb === "complete" || settlement.verb === "retry" || settlement.verb === "bury") {
    lane.duration("run", tx.now - (row.started_at ?? tx.now));
  }
  if (row.flow_id !== null && isFinished(ending.state))
    tx.flows.book.ended(row.id, row.flow_id, ending.state);
  if (ending.state === "pending") tx.madePending(row, ending.runAt);
  if (ending.state === "scheduled") tx.changes.scheduled();
}

function attemptOf(row: JobRow, failure: Failure, retryDelayMs: number | null, now: Instant) {
  return {
    job_id: row.id,
    token: row.token,
    number: row.attempt,
    worker_id: row.worker_id ?? "",
    started_at: row.started_at ?? now,
    finished_at: now,
    outcome: failure.outcome,
    error: JSON.stringify(failure.error),
    retry_delay_ms: retryDelayMs,
  };
}
