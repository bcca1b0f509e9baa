import type { QueryResult } from "pg";
import type { Instant } from "../../core/job.js";
import { Changes } from "./changes.js";
import type { Queryable } from "./connection.js";
import { Ledger, type LedgerStatements } from "./ledger.js";

/** One transaction: a connection that it has for itself, its time, and what is to be written and told at its end. */
export class Transaction implements Queryable {
  readonly ledger: Ledger;
  readonly changes = new Changes();

  constructor(
    private readonly client: Queryable,
    /** When it began, by the database's clock. */
    readonly now: Instant,
    statements: LedgerStatements,
  ) {
    this.ledger = new Ledger(statements);
  }

  query(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    return this.client.query(text, values);
  }

  /** Before the commit. */
  flush(): Promise<void> {
    return this.ledger.flush(this, this.now, this.changes, "while wanted");
  }

  /** Before a commit that the caller makes some time: who may want events until then waits for nobody's transaction. */
  flushForLater(): Promise<void> {
    return this.ledger.flush(this, this.now, this.changes, "in any case");
  }
}
