import type { Instant } from "../../core/job.js";
import type { TransitionName } from "../../core/states.js";
import { outcomeOfCancel, outcomeOfDelete, outcomeOfRevive, outcomeOfRunNow } from "../change-by-hand.js";
import type { JobChange } from "../jobs.js";
import { toJob, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim, STILL_RUNNING } from "./current-claim.js";
import type { Remove } from "./remove.js";
import { Reopen } from "./reopen.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

type Outcome = Exclude<JobChange["outcome"], "missing">;

/**
 * What people do to jobs: cancel, retry, run now, delete. Any number at once, each for itself; the answers are in the
 * order of the ids.
 */
export class ChangeByHand {
  readonly #current;
  readonly #recordCancelled;
  readonly #cancel;
  readonly #revive;
  readonly #forgetReasons;
  readonly #reopen;
  readonly #runNow;

  constructor(
    context: PostgresContext,
    private readonly remove: Remove,
  ) {
    const { s } = context;
    this.#current = new CurrentClaim(context);
    this.#recordCancelled = new Statement<[ids: readonly number[], now: Instant], never>(
      `INSERT INTO ${s}.attempts (job_id, token, number, worker_id, started_at, finished_at, outcome)
       SELECT id, token, attempt, coalesce(worker_id, ''), coalesce(started_at, $2), $2, 'cancelled' FROM ${s}.jobs
       WHERE id = ANY($1::bigint[]) AND ${STILL_RUNNING}
       ON CONFLICT DO NOTHING`,
    );
    this.#reopen = new Reopen(context);
    const change = (changes: string) =>
      new Statement<[ids: readonly number[], now: Instant], JobRow>(
        `UPDATE ${s}.jobs SET ${changes} WHERE id = ANY($1::bigint[]) RETURNING *`,
      );
    this.#cancel = change("state = 'cancelled', finished_at = $2, lease_until = 0, waiting = 0");
    this.#revive = change(
      `state = 'pending', run_at = $2, finished_at = NULL, expires_at = NULL,
       max_attempts = attempt + (SELECT budget FROM ${s}.job_specs WHERE job_id = jobs.id)`,
    );
    this.#forgetReasons = new Statement<[ids: readonly number[]], never>(
      `DELETE FROM ${s}.cancellations WHERE job_id = ANY($1::bigint[])`,
    );
    this.#runNow = change("state = 'pending', run_at = $2");
  }

  cancel(tx: Transaction, ids: readonly string[]): Promise<JobChange[]> {
    return this.#each(
      tx,
      ids,
      ({ state }) => outcomeOfCancel(state),
      async (rows) => {
        await this.#recordCancelled.run(tx, idsOf(rows), tx.now);
        for (const { id, queue, name, state, flow_id: flowId } of rows) {
          const lane = tx.ledger.lane(queue, name);
          lane.count("cancelled");
          if (state === "running") lane.count("aborted");
          if (flowId !== null) tx.flows.book.ended(id, flowId, "cancelled");
        }
        return this.#move(tx, rows, "cancel", this.#cancel);
      },
    );
  }

  /** @param by those that have ended since are left alone */
  async revive(tx: Transaction, ids: readonly string[], by = Number.POSITIVE_INFINITY): Promise<JobChange[]> {
    await this.#reopen.lockOthers(tx, ids);
    const outcomeOf = ({ state, finished_at: finishedAt }: JobRow): Outcome =>
      (finishedAt ?? 0) > by ? "refused" : outcomeOfRevive(state);
    return this.#each(tx, ids, outcomeOf, async (rows) => {
      const waiting = await this.#reopen.jobs(tx, rows);
      for (const row of rows) if (!waiting.has(row.id)) tx.madePending(row, tx.now);
      const cancelled = rows.filter(({ state }) => state === "cancelled");
      if (cancelled.length > 0) await this.#forgetReasons.run(tx, idsOf(cancelled));
      return this.#move(tx, rows, "revive", this.#revive, waiting);
    });
  }

  runNow(tx: Transaction, ids: readonly string[]): Promise<JobChange[]> {
    return this.#each(
      tx,
      ids,
      ({ state }) => outcomeOfRunNow(state),
      (rows) => {
        for (const row of rows) tx.madePending(row, tx.now);
        return this.#move(tx, rows, "run-now", this.#runNow);
      },
    );
  }

  delete(tx: Transaction, ids: readonly string[], force: boolean): Promise<JobChange[]> {
    return this.#each(
      tx,
      ids,
      ({ state }) => outcomeOfDelete(state, force),
      async (rows) => {
        await this.remove.rows(tx, rows);
        return rows;
      },
    );
  }

  /** @param change makes the change of those that may be changed, and answers with what they are then */
  async #each(
    tx: Transaction,
    ids: readonly string[],
    outcomeOf: (row: JobRow) => Outcome,
    change: (rows: readonly JobRow[]) => Promise<readonly JobRow[]>,
  ): Promise<JobChange[]> {
    const rows = await this.#current.lock(tx, ids);
    const outcomes = new Map([...rows].map(([id, row]) => [id, outcomeOf(row)]));
    const meant = [...rows].filter(([id]) => outcomes.get(id) === "changed").map(([, row]) => row);
    const changed = meant.length === 0 ? [] : await change(meant);
    for (const row of changed) {
      rows.set(String(row.id), row);
      // One job cancelled and another revived leave the counts as they were.
      tx.ledger.note(row.queue, row.name);
    }
    return ids.map((id): JobChange => {
      const [row, outcome] = [rows.get(id), outcomes.get(id)];
      return row === undefined || outcome === undefined
        ? { outcome: "missing" }
        : { outcome, job: toJob(row) };
    });
  }

  async #move(
    tx: Transaction,
    before: readonly JobRow[],
    transition: TransitionName,
    statement: Statement<[ids: readonly number[], now: Instant], JobRow>,
    /** Those that have to wait, and for how many. */
    waiting: ReadonlyMap<number, number> = new Map(),
  ): Promise<readonly JobRow[]> {
    const rows = await statement.all(tx, idsOf(before), tx.now);
    const changed = new Map(rows.map((row) => [row.id, row]));
    for (const row of await this.#reopen.block(tx, waiting)) changed.set(row.id, row);
    for (const { id, state } of before) {
      const row = changed.get(id);
      if (row === undefined) throw new Error(`Job ${String(id)} vanished inside a transaction`);
      tx.ledger.lane(row.queue, row.name).moved(id, transition, state, row.state, row.attempt);
    }
    return [...changed.values()];
  }
}

function idsOf(rows: readonly JobRow[]): number[] {
  return rows.map(({ id }) => id);
}
