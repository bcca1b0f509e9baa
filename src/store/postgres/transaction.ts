import type { QueryResult } from "pg";
import type { Instant } from "../../core/job.js";
import { Changes } from "./changes.js";
import type { Queryable } from "./connection.js";
import { EarliestOfLanes, laneOf, type LanedJob, type LowerFloors, type PendingLane } from "./lane-floors.js";
import type { FlowCounts } from "./flow-counts.js";
import { FlowEnds, type FlowEndStatements } from "./flow-ends.js";
import { Ledger, type LedgerStatements } from "./ledger.js";

/** What a transaction writes at its end. */
export interface EndStatements {
  readonly ledger: LedgerStatements;
  readonly floors: LowerFloors;
  readonly flowEnds: FlowEndStatements;
  readonly flowCounts: FlowCounts;
}

/** One transaction: a connection that it has for itself, its time, and what is to be written and told at its end. */
export class Transaction implements Queryable {
  readonly ledger: Ledger;
  readonly flows: FlowEnds;
  readonly changes = new Changes();
  readonly #pending = new EarliestOfLanes();

  constructor(
    private readonly client: Queryable,
    /** When it began, by the database's clock. */
    readonly now: Instant,
    private readonly statements: EndStatements,
  ) {
    this.ledger = new Ledger(statements.ledger);
    this.flows = new FlowEnds(statements.flowEnds, statements.flowCounts);
  }

  /** Where jobs became claimable so far. */
  get pending(): readonly PendingLane[] {
    return this.#pending.all();
  }

  /** A job became claimable. */
  madePending(job: LanedJob, runAt: Instant): void {
    this.#pending.add(laneOf(job), runAt);
    this.changes.pending(job.queue);
  }

  query(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    return this.client.query(text, values);
  }

  /** @param now the time when it is about to commit */
  async flush(now: Instant): Promise<void> {
    await this.flows.flush(this);
    await this.statements.floors.below(this, this.#pending.late(now));
    await this.ledger.flush(this, this.now, this.changes, "while wanted");
  }

  /** Before a commit that the caller makes some time: who may want events until then waits for nobody's transaction. */
  async flushForLater(): Promise<void> {
    await this.ledger.flush(this, this.now, this.changes, "in any case");
  }
}
