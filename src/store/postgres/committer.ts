import type { Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import type { Instant } from "../../core/job.js";
import type { Changes } from "./changes.js";
import { promptly, type Pool, type PoolClient, type Queryable } from "./connection.js";
import type { DatabaseClock } from "./database-clock.js";
import { isConflict, isConnectionError, translateError } from "./errors.js";
import type { SchemaGuard, SchemaVersions } from "./migrate.js";
import { Transaction, type EndStatements } from "./transaction.js";

/** How long a write that met a cut connection or another transaction is tried again before it fails. */
const RETRY_LIMIT_MS = 5_000;
/** Bound of the wait between two tries. */
const RETRY_WAIT_MS = 100;
/**
 * A process that is stopped in the middle of a transaction keeps rows from all others: its transaction is ended
 * after this long. Far longer than anything takes between two statements.
 */
const IDLE_LIMIT_MS = 10_000;
/**
 * How long a statement waits for the rows that another transaction has locked. Shorter than the time after which an
 * answer counts as lost (`promptly`): otherwise whoever waits for a lock would take it for a network that is cut.
 */
const LOCK_LIMIT_MS = 3_000;

interface BeginRow extends SchemaVersions {
  readonly now: Instant;
  readonly xid: string;
}

/** A transaction whose commit was asked for. */
interface Committing<T> {
  readonly xid: string;
  readonly answer: T;
  readonly changes: Changes;
}

/** `undone`: why the transaction was rolled back, or may have been; with `xid` nobody has said so yet. */
type Attempt<T> =
  { readonly value: T } | ({ readonly undone: unknown } & Committing<T>) | { readonly undone: unknown };

/**
 * Runs writes, each in a transaction, and tells listeners after the commit.
 *
 * A write may run more than once: it is tried again when its transaction was undone, so it changes nothing but the
 * database and its transaction. When the connection breaks while it commits, the database is asked what became of
 * the transaction: a write is neither reported as failed when it was done, nor the other way round.
 */
export class Committer {
  #open = 0;
  #closed = false;
  readonly #idle: (() => void)[] = [];

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly statements: EndStatements,
    private readonly schema: SchemaGuard,
    /** Called after each commit. */
    private readonly committed: (changes: Changes) => void,
    private readonly place: string,
  ) {}

  /** Runs `work` in a transaction of its own; resolves with its answer when that is durable. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.accept(() => this.writeAccepted(work));
  }

  /** Begins a call that writes later: the store is not closed before it has ended. */
  async accept<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError(this.place);
    this.#open += 1;
    try {
      return await call();
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** As `write`, within a call that was accepted. */
  async writeAccepted<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#untilDone(work);
    } catch (error) {
      throw translateError(error, this.place);
    }
  }

  /** Refuses new writes and resolves when the accepted ones are settled. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  async #untilDone<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // From the first failure: before it, the process may have been stopped for long.
    let since: number | null = null;
    for (;;) {
      const attempt = await this.#once(work);
      if ("value" in attempt) return attempt.value;
      since ??= this.clock.monotonic();
      if ("xid" in attempt && (await this.#isCommitted(attempt.xid, since))) {
        this.committed(attempt.changes);
        return attempt.answer;
      }
      if (this.clock.monotonic() - since >= RETRY_LIMIT_MS) throw attempt.undone;
      await this.#pause();
    }
  }

  /** Runs it once. An error that is thrown is the fault of the work, and a second time would not help. */
  async #once<T>(work: (tx: Transaction) => Promise<T>): Promise<Attempt<T>> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      if (isConnectionError(error)) return { undone: error };
      throw error;
    }
    let committing: Committing<T> | null = null;
    let broken: Error | undefined;
    try {
      const db = promptly(client);
      const { now, xid } = await this.#beginWith(db);
      const tx = new Transaction(db, now, this.statements);
      const answer = await work(tx);
      await tx.flush(this.databaseClock.now());
      committing = { xid, answer, changes: tx.changes };
      const { command } = await db.query("COMMIT");
      // PostgreSQL answers so, and with no error, when a statement had failed and the work went on regardless.
      if (command !== "COMMIT") throw new Error(`A transaction ended with ${command}`);
      this.committed(tx.changes);
      return { value: answer };
    } catch (error) {
      broken = isConnectionError(error) ? error : await rollback(client);
      if (broken !== undefined && committing !== null) return { undone: error, ...committing };
      if (broken !== undefined || isConflict(error)) return { undone: error };
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** What became of a transaction whose commit was not answered: the database remembers. */
  async #isCommitted(xid: string, since: number): Promise<boolean> {
    for (;;) {
      try {
        const { rows } = await promptly(this.pool).query("SELECT pg_xact_status($1::xid8) AS status", [xid]);
        const status = (rows as { status: string | null }[])[0]?.status;
        if (status === "committed" || status === "aborted") return status === "committed";
      } catch (error) {
        // After a failover to a server that has not got so far, the number of the transaction means nothing.
        if (!isConnectionError(error)) throw this.#unknownOutcome(error);
      }
      if (this.clock.monotonic() - since >= RETRY_LIMIT_MS) throw this.#unknownOutcome();
      await this.#pause();
    }
  }

  #unknownOutcome(cause?: unknown): KonveierError {
    return new KonveierError(
      "store_io",
      `${this.place}: the connection broke during a commit, and the database could not be asked since whether it was done. Look before you repeat it, or repeat it with an idempotency key.`,
      { cause },
    );
  }

  async #beginWith(db: Queryable): Promise<BeginRow> {
    // One round trip. What is set holds for this transaction only, so it does no harm behind PgBouncer.
    const text = `BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = ${IDLE_LIMIT_MS};
      SET LOCAL lock_timeout = ${LOCK_LIMIT_MS};
      SELECT ${this.databaseClock.sql} AS now, pg_current_xact_id()::text AS xid, ${this.schema.sql}`;
    // Several statements in one text give several results.
    const results = (await db.query(text)) as unknown as { rows: BeginRow[] }[];
    const row = results.at(-1)?.rows[0];
    if (row === undefined) throw new Error("A transaction began without an answer");
    this.schema.verify(row);
    this.databaseClock.told(row.now);
    return row;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      // Random, so that several processes do not try in step.
      this.clock.setTimer(1 + Math.random() * (RETRY_WAIT_MS - 1), resolve);
    });
  }
}

/** @returns why the connection is of no use any more */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

export function closedError(place: string): KonveierError {
  return new KonveierError("store_closed", `${place} has been closed; open it again to go on.`);
}
