import { statSync } from "node:fs";
import type { Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import type { Enqueued } from "../../core/job.js";
import type { Settled } from "../claims.js";
import type { Completion } from "../endings.js";
import type { JoinedTransaction } from "../joined.js";
import type { NewJob } from "../jobs.js";
import { ChangeFeed } from "./change-feed.js";
import type { Connection } from "./connection.js";
import type { SqliteContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { Enqueue } from "./enqueue.js";
import { translateError } from "./errors.js";
import { FlowEnds } from "./flow-ends.js";
import { Journal } from "./journal.js";
import { Ledger } from "./ledger.js";
import { BoundedQueues } from "./bounded-queues.js";
import { SchemaGuard } from "./migrate.js";
import { Sequences } from "./sequences.js";
import { Settle } from "./settle.js";

/** Joins transactions on other connections of this process to the same file. */
export class Joins {
  readonly #joined = new WeakMap<object, JoinedConnection>();

  constructor(
    private readonly own: Connection,
    private readonly clock: Clock,
  ) {}

  /** @throws KonveierError `transaction_unusable` */
  with(connection: unknown): JoinedTransaction {
    if (!isConnection(connection)) {
      throw unusable("It takes a connection of better-sqlite3, open on the database file.");
    }
    let joined = this.#joined.get(connection);
    if (joined === undefined) {
      if (!isSameFile(connection, this.own)) {
        throw unusable(`The connection is not open on ${this.own.name}.`);
      }
      joined = new JoinedConnection(connection, this.clock);
      this.#joined.set(connection, joined);
    }
    return joined;
  }
}

/**
 * The statements of an enqueue and of a completion on a connection of the caller's. Synchronous, like everything on
 * such a connection: a transaction that waited for a turn of the event loop would keep all other writers waiting.
 */
class JoinedConnection implements JoinedTransaction {
  readonly atOnce = true;
  readonly #ledger;
  readonly #flows;
  readonly #sequences;
  readonly #schema;
  readonly #enqueue;
  readonly #settle;

  constructor(
    private readonly theirs: Connection,
    private readonly clock: Clock,
  ) {
    // The caller's connection may give whole numbers as bigint.
    const db = { prepare: (sql: string) => theirs.prepare(sql).safeIntegers(false) } as unknown as Connection;
    const step = () => undefined;
    // Nobody listens here: the store's own connection notices the commit as that of any other process.
    const changes = new ChangeFeed(db, clock);
    const sequences = new Sequences(db, step);
    const journal = new Journal(db, sequences, changes, step);
    const ledger = new Ledger(db, journal, changes, step);
    const flows = new FlowEnds(db, clock, ledger, changes, step);
    const context: SqliteContext = {
      db,
      clock,
      ledger,
      flows,
      journal,
      sequences,
      bounded: new BoundedQueues(db, ledger),
      changes,
      step,
      smallSet: 0,
      write: () => Promise.reject(new Error("A joined transaction has no end of its own")),
      read: () => Promise.reject(new Error("A joined transaction reads at once")),
    };
    this.#ledger = ledger;
    this.#flows = flows;
    this.#sequences = sequences;
    this.#schema = new SchemaGuard(db);
    this.#enqueue = new Enqueue(context);
    this.#settle = new Settle(context, new CurrentClaim(db));
  }

  insertMany(jobs: readonly NewJob[]): readonly Enqueued[] {
    return this.#write(() => this.#enqueue.insertAll(jobs));
  }

  complete(completion: Completion): Settled {
    return this.#write(() => {
      const [settled] = this.#settle.apply([completion]);
      if (settled === undefined) throw new Error("A settlement was not answered");
      return settled;
    });
  }

  /** SQLite rolls a transaction back by itself on some errors, such as a full disk. */
  #isOpen(): boolean {
    return this.theirs.inTransaction;
  }

  #write<T>(work: () => T): T {
    if (!this.#isOpen()) {
      throw unusable("No transaction is open on the connection: begin one with BEGIN IMMEDIATE.");
    }
    // What fails half-way must not be half of what the caller commits.
    this.theirs.exec("SAVEPOINT konveier");
    try {
      this.#schema.verify();
      this.#ledger.begin(this.clock.now());
      const answer = work();
      this.#flows.flush();
      this.#ledger.flush(this.clock.now());
      this.#sequences.flush();
      this.theirs.exec("RELEASE konveier");
      return answer;
    } catch (error) {
      this.#ledger.clear();
      this.#sequences.clear();
      if (this.#isOpen()) this.theirs.exec("ROLLBACK TO konveier; RELEASE konveier");
      throw translateError(error, this.theirs.name);
    }
  }
}

function isConnection(value: unknown): value is Connection {
  if (typeof value !== "object" || value === null) return false;
  const { prepare, exec, inTransaction, name } = value as Partial<Connection>;
  return (
    typeof prepare === "function" &&
    typeof exec === "function" &&
    typeof inTransaction === "boolean" &&
    typeof name === "string"
  );
}

function isSameFile(one: Connection, other: Connection): boolean {
  if (one.memory || other.memory) return false;
  const [a, b] = [statSync(one.name), statSync(other.name)];
  return a.ino === b.ino && a.dev === b.dev;
}

function unusable(detail: string): KonveierError {
  return new KonveierError("transaction_unusable", detail);
}
