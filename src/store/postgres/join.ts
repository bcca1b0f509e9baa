import type { QueryResult } from "pg";
import { KonveierError } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import type { JoinedTransaction } from "../joined.js";
import { runAtOf } from "../admission.js";
import { types, type Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { Enqueue } from "./enqueue.js";
import { translateError } from "./errors.js";
import type { SchemaGuard, SchemaVersions } from "./migrate.js";
import type { Notifications } from "./notifications.js";
import { EarliestOfLanes, laneKeyText, laneOf, type PendingLane } from "./lane-floors.js";
import { Settle } from "./settle.js";
import { WaitForJobs } from "./wait.js";
import { Transaction, type EndStatements } from "./transaction.js";

/** What runs a statement as a client of pg does. */
interface ForeignClient {
  query(config: { text: string; values: readonly unknown[]; types: typeof types }): Promise<QueryResult>;
}

interface BeginRow extends SchemaVersions {
  readonly now: Instant;
  readonly in_transaction: boolean;
}

/** Joins transactions on clients of the caller's. */
export class Joins {
  readonly #enqueue;
  readonly #settle;
  /** Lanes that are in the table for good. */
  readonly #knownLanes = new Set<string>();

  constructor(
    private readonly context: PostgresContext,
    private readonly statements: EndStatements,
    private readonly schema: SchemaGuard,
    private readonly notifications: Notifications,
    private readonly place: string,
  ) {
    this.#enqueue = new Enqueue(context, (tx, lanes) => this.#prepareLanes(tx, lanes));
    this.#settle = new Settle(context, new CurrentClaim(context), new WaitForJobs(context));
  }

  /** @throws KonveierError `transaction_unusable` */
  with(client: unknown): JoinedTransaction {
    if (!isClient(client)) throw unusable("It takes a client of pg, or an object with a query like its.");
    const db = new ForeignQueries(client);
    return {
      atOnce: false,
      insertMany: (jobs) =>
        this.#write(db, async (tx) => {
          await this.#prepareLanes(
            tx,
            jobs.map((job) => ({ ...laneOf(job), runAt: runAtOf(job, tx.now) })),
          );
          return this.#enqueue.insertAll(tx, jobs);
        }),
      complete: (completion) =>
        this.#write(db, async (tx) => {
          const [settled] = await this.#settle.apply(tx, [completion]);
          if (settled === undefined) throw new Error("A settlement was not answered");
          return settled;
        }),
    };
  }

  /**
   * Nobody knows when the caller commits, and rows of lanes that it had written would keep everybody waiting until then.
   * What is to be written there is written in a transaction of its own, after the floors are held: one that is lowered
   * must not be raised again before the commit.
   */
  async #prepareLanes(tx: Transaction, pending: readonly PendingLane[]): Promise<void> {
    const earliest = new EarliestOfLanes();
    for (const lane of pending) earliest.add(lane, lane.runAt);
    const lanes = earliest.all();
    if (lanes.length === 0) return;
    const { floors } = this.statements;
    await floors.hold(tx, lanes);
    if (lanes.every((lane) => lane.runAt >= tx.now && this.#knownLanes.has(laneKeyText(lane)))) return;
    await this.context.write((own) => floors.prepare(own, lanes));
    for (const lane of lanes) this.#knownLanes.add(laneKeyText(lane));
  }

  async #write<T>(db: Queryable, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      const begun = await this.#look(db);
      if (!begun.in_transaction) throw unusable("No transaction is open on the client: send BEGIN first.");
      this.schema.verify(begun);
      const tx = new Transaction(db, begun.now, this.statements);
      const answer = await work(tx);
      await this.#tellFlows(tx);
      await tx.flushForLater();
      tx.changes.wakeFreed(this.context.limited);
      await this.notifications.sendWithin(db, tx.changes.told());
      return answer;
    } catch (error) {
      throw translateError(error, this.place);
    }
  }

  /** Jobs of flows that wait for what has ended here become claimable by it, so their lanes have to be prepared too. */
  async #tellFlows(tx: Transaction): Promise<void> {
    if (tx.flows.book.empty) return;
    await tx.flows.flush(tx);
    await this.#prepareLanes(tx, tx.pending);
  }

  async #look(db: Queryable): Promise<BeginRow> {
    // A statement outside of a transaction is one by itself, and begins when it arrives.
    const { rows } = await db.query(
      `SELECT ${this.context.clock.sql} AS now,
         statement_timestamp() > transaction_timestamp() AS in_transaction, ${this.schema.sql}`,
    );
    const [row] = rows as BeginRow[];
    if (row === undefined) throw new Error("The client gave no answer");
    return row;
  }
}

/**
 * Statements through whatever the caller has. A driver or a query builder may give `bigint` columns as text or as
 * BigInt, and none of ours is too large for a number.
 */
class ForeignQueries implements Queryable {
  constructor(private readonly client: ForeignClient) {}

  async query(text: string, values: readonly unknown[] = []): Promise<QueryResult> {
    const result = await this.client.query({ text, values, types });
    return { ...result, rows: result.rows.map((row: Record<string, unknown>) => withNumbers(row)) };
  }
}

/** Columns of ours that hold text which may look like a number. */
const TEXT_COLUMNS = new Set([
  "key",
  "states",
  "on_full",
  "fingerprint",
  "queue",
  "name",
  "state",
  "worker_id",
  "error",
  "outcome",
  "on_failure",
  "keys",
]);

function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === "bigint" || (typeof value === "string" && !TEXT_COLUMNS.has(column))
        ? Number(value)
        : value,
    ]),
  );
}

function isClient(value: unknown): value is ForeignClient {
  return typeof value === "object" && value !== null && typeof (value as ForeignClient).query === "function";
}

function unusable(detail: string): KonveierError {
  return new KonveierError("transaction_unusable", detail);
}
