import type { Clock } from "../../core/clock.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Committer } from "./committer.js";
import type { Connection } from "./connection.js";
import type { FlowEnds } from "./flow-ends.js";
import type { Journal } from "./journal.js";
import type { Ledger } from "./ledger.js";
import type { BoundedQueues } from "./bounded-queues.js";
import type { Sequences } from "./sequences.js";
import type { StepHook } from "./steps.js";

/** What the parts of one SQLite store share. */
export interface SqliteContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly flows: FlowEnds;
  readonly journal: Journal;
  readonly sequences: Sequences;
  readonly bounded: BoundedQueues;
  readonly changes: ChangeFeed;
  readonly step: StepHook;
  /** Candidates that a search may read whole and sort. */
  readonly smallSet: number;
  /** See `Committer.write`. */
  readonly write: Committer["write"];
  /** Runs a read at once, outside every transaction; errors get their meaning. */
  readonly read: <T>(work: () => T) => Promise<T>;
}
