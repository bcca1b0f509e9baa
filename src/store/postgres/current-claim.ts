import type { LeaseLossReason } from "../../core/errors.js";
import type { ClaimKey } from "../claims.js";
import { rowId, type JobRow } from "../rows.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/**
 * For rows that are found by their ids. In a form that keeps the planner from the index of running jobs, which is full
 * of dead entries while an old transaction is open.
 */
export const STILL_RUNNING = "CASE jobs.state WHEN 'running' THEN true END";

/** Finds the jobs of claims, or tells why a claim is no longer the current one. */
export class CurrentClaim {
  readonly #get;
  readonly #lock;
  readonly #lockFree;

  constructor({ s }: PostgresContext) {
    this.#get = new Statement<[id: number], JobRow>(`SELECT * FROM ${s}.jobs WHERE id = $1`);
    // In one order for all: two transactions that meet in two jobs must not wait for each other.
    this.#lock = new Statement<[ids: readonly number[]], JobRow>(
      `SELECT * FROM ${s}.jobs WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    );
    this.#lockFree = new Statement<[ids: readonly number[]], JobRow>(`${this.#lock.text} SKIP LOCKED`);
  }

  async row(db: Queryable, id: string): Promise<JobRow | undefined> {
    const key = rowId(id);
    return key === null ? undefined : this.#get.get(db, key);
  }

  /** The rows of those jobs that are there, by id. Nobody else changes them until this transaction ends. */
  lock(tx: Transaction, ids: readonly string[]): Promise<Map<string, JobRow>> {
    return this.#rows(tx, ids, this.#lock);
  }

  /** As `lock`, without those that somebody else has locked: a transaction may be about to complete them. */
  lockFree(tx: Transaction, ids: readonly string[]): Promise<Map<string, JobRow>> {
    return this.#rows(tx, ids, this.#lockFree);
  }

  async #rows(
    tx: Transaction,
    ids: readonly string[],
    statement: Statement<[ids: readonly number[]], JobRow>,
  ): Promise<Map<string, JobRow>> {
    const keys = ids.map(rowId).filter((key) => key !== null);
    const rows = keys.length === 0 ? [] : await statement.all(tx, keys);
    return new Map(rows.map((row) => [String(row.id), row]));
  }

  async find(db: Queryable, key: ClaimKey): Promise<JobRow | LeaseLossReason> {
    return held(await this.row(db, key.id), key);
  }
}

/** The row when it is that of the claim, else why the claim is lost. */
export function held<Row extends JobRow>(row: Row | undefined, { token }: ClaimKey): Row | LeaseLossReason {
  if (row?.state === "running" && row.token === token) return row;
  if (row === undefined) return "gone";
  return row.state === "cancelled" && row.token === token ? "cancelled" : "reclaimed";
}
