import type { BoundedQueueRow } from "../admission.js";
import type { Connection } from "./connection.js";
import type { Ledger } from "./ledger.js";

/** Queues in which only so many jobs may wait. Read once in a transaction: every enqueue asks, and mostly there are none. */
export class BoundedQueues {
  readonly #read;
  #transaction = 0;
  #queues: ReadonlyMap<string, BoundedQueueRow> = new Map();

  constructor(
    db: Connection,
    private readonly ledger: Ledger,
  ) {
    this.#read = db.prepare<[], BoundedQueueRow>(
      "SELECT name, max_length, on_full FROM queues WHERE max_length IS NOT NULL",
    );
  }

  /** Inside a write transaction. */
  all(): ReadonlyMap<string, BoundedQueueRow> {
    if (this.#transaction !== this.ledger.transaction) {
      this.#queues = new Map(this.#read.all().map((row) => [row.name, row]));
      this.#transaction = this.ledger.transaction;
    }
    return this.#queues;
  }

  /** A limit was changed in this transaction. */
  changed(): void {
    this.#transaction = 0;
  }
}
