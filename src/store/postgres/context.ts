import type { LimitedQueues } from "../limits/limited-queues.js";
import type { Committer } from "./committer.js";
import type { DatabaseClock } from "./database-clock.js";
import type { Queryable } from "./connection.js";

/** What the parts of one PostgreSQL store share. */
export interface PostgresContext {
  /** The schema, quoted: every statement names it, because a connection behind PgBouncer keeps no search path. */
  readonly s: string;
  readonly clock: DatabaseClock;
  /** See `Committer.write`. */
  readonly write: Committer["write"];
  /** For calls that do something else before they write. */
  readonly committer: Pick<Committer, "accept" | "writeAccepted">;
  /** Runs single statements outside every transaction; errors get their meaning. */
  readonly read: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;
  /** As `read`, for everyday looks that are answered at once or not at all. */
  readonly look: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;
  /** Runs several statements on one snapshot of the database. */
  readonly snapshot: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;
  readonly limited: LimitedQueues;
  /** Candidates that a search may read whole and sort. */
  readonly smallSet: number;
}
