import type { Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import type { Connection } from "./connection.js";
import { isBusy, translateError } from "./errors.js";
import type { FlowEnds } from "./flow-ends.js";
import type { Ledger } from "./ledger.js";
import type { Sequences } from "./sequences.js";
import type { StepHook } from "./steps.js";

/** How long a write waits for another process's transaction before it fails with `store_busy`. */
const BUSY_LIMIT_MS = 5_000;
/** Bound of the wait between two tries for the write lock. */
const BUSY_RETRY_MS = 10;
/** A transaction that has run this long is committed, and the rest goes into the next one. */
const MAX_TRANSACTION_MS = 50;

interface Write {
  /** Runs inside the transaction, and may run again after a rollback: it changes nothing but the database. */
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Group commit: the writes that arrive in one turn of the event loop share one transaction and one
 * `fsync`. A promise resolves only after the commit.
 *
 * A write that throws a `KonveierError` must do so before its first statement that writes: it fails
 * alone and the group goes on. Any other error rolls the group back, and every write of it runs again
 * in a transaction of its own, so that one bad write cannot harm the others.
 *
 * Every transaction is `BEGIN IMMEDIATE`: a transaction that reads first and writes later fails at once
 * with SQLITE_BUSY_SNAPSHOT when another process wrote in between. Waiting for the lock is done with
 * timers, so that the event loop goes on meanwhile.
 */
export class Committer {
  #queue: Write[] = [];
  #scheduled = false;
  #cancelRetry: (() => void) | null = null;
  #closed = false;
  readonly #idle: (() => void)[] = [];
  readonly #begin;
  readonly #commit;
  readonly #rollback;

  constructor(
    private readonly db: Connection,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly flows: FlowEnds,
    private readonly sequences: Sequences,
    private readonly step: StepHook,
    /** Inside a transaction: throws when this program must not write into the database any more. */
    private readonly verifySchema: () => void,
    private readonly verifyFile: () => void,
    private readonly onCommit: () => void,
  ) {
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
  }

  /** Runs `work` in a transaction soon; resolves with its answer when that is durable. */
  write<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError(this.db.name));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        work,
        resolve: resolve as (value: unknown) => void,
        reject,
        since: this.clock.monotonic(),
      });
      this.#schedule();
    });
  }

  /** Refuses new writes and resolves when the accepted ones are settled. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length === 0 && !this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#cancelRetry !== null) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    const taken = this.#queue;
    this.#queue = [];
    const done = this.#transaction(taken);
    if (done < taken.length) {
      this.#queue = taken.slice(done).concat(this.#queue);
    }
    if (this.#queue.length > 0) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Runs writes in one transaction. @returns how many of them are settled */
  #transaction(writes: readonly Write[]): number {
    try {
      this.#begin.run();
    } catch (error) {
      return this.#beginFailed(writes, error);
    }
    const outcomes: Outcome[] = [];
    try {
      this.step("begin");
      this.verifySchema();
      this.ledger.begin(this.clock.now());
      this.#runAll(writes, outcomes);
      this.#finish();
    } catch (error) {
      this.#undo();
      if (writes.length > 1) return this.#oneByOne(writes);
      writes[0]?.reject(translateError(error, this.db.name));
      return 1;
    }
    this.#settle(writes, outcomes);
    return outcomes.length;
  }

  #runAll(writes: readonly Write[], outcomes: Outcome[]): void {
    const started = this.clock.monotonic();
    for (const write of writes) {
      try {
        outcomes.push({ value: write.work() });
      } catch (error) {
        if (!(error instanceof KonveierError)) throw error;
        outcomes.push({ error });
      }
      if (this.clock.monotonic() - started > MAX_TRANSACTION_MS) break;
    }
  }

  #finish(): void {
    this.flows.flush();
    this.ledger.flush(this.clock.now());
    this.sequences.flush();
    this.step("before-commit");
    this.#commit.run();
    this.step("after-commit");
  }

  #settle(writes: readonly Write[], outcomes: readonly Outcome[]): void {
    let lost: unknown = null;
    try {
      // A commit into a file that was removed succeeds, and is lost with the file.
      this.verifyFile();
    } catch (error) {
      lost = error;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const write = writes[index];
      if (write === undefined) continue;
      if (lost !== null) write.reject(lost);
      else if ("error" in outcome) write.reject(outcome.error);
      else write.resolve(outcome.value);
    }
    this.onCommit();
  }

  #undo(): void {
    this.flows.book.clear();
    this.ledger.clear();
    this.sequences.clear();
    // SQLite rolls back by itself on some errors, such as a full disk.
    if (this.db.inTransaction) this.#rollback.run();
  }

  #oneByOne(writes: readonly Write[]): number {
    for (const [index, write] of writes.entries()) {
      if (this.#transaction([write]) === 0) return index;
    }
    return writes.length;
  }

  #beginFailed(writes: readonly Write[], error: unknown): number {
    if (!isBusy(error)) {
      const translated = translateError(error, this.db.name);
      for (const write of writes) write.reject(translated);
      return writes.length;
    }
    const now = this.clock.monotonic();
    let settled = 0;
    // Writes are in the order of their arrival, so those that waited too long come first.
    for (const write of writes) {
      if (now - write.since < BUSY_LIMIT_MS) break;
      write.reject(translateError(error, this.db.name));
      settled += 1;
    }
    if (settled < writes.length) this.#retryLater();
    return settled;
  }

  #retryLater(): void {
    // Random, so that several processes do not try in step.
    const delay = 1 + Math.random() * (BUSY_RETRY_MS - 1);
    this.#cancelRetry = this.clock.setTimer(delay, () => {
      this.#cancelRetry = null;
      this.#schedule();
    });
  }
}

export function closedError(file: string): KonveierError {
  return new KonveierError("store_closed", `${file} has been closed; open it again to go on.`);
}
