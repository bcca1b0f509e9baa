import type { AuditStore } from "./audit.js";
import type { ClaimStore } from "./claims.js";
import type { DeadStore } from "./dead.js";
import type { FlowStore } from "./flows.js";
import type { EventStore } from "./events.js";
import type { StepStore } from "./job-steps.js";
import type { ExpiryStore } from "./expiry.js";
import type { JobStore } from "./jobs.js";
import type { JoinedTransaction } from "./joined.js";
import type { LiveStore } from "./live.js";
import type { MaintenanceStore } from "./maintenance.js";
import type { OperationStore } from "./operations.js";
import type { QueueStore } from "./queues.js";
import type { ScheduleStore } from "./schedules.js";
import type { StatStore } from "./stats.js";
import type { SuggestionStore } from "./suggestions.js";
import type { TokenStore } from "./tokens.js";
import type { WorkerStore } from "./workers.js";

/**
 * Everything that Konveier keeps. One interface for each noun; `test/contract` says what each must do,
 * and every store passes it.
 *
 * Rules for all of them:
 * - When a promise of a write resolves, the write is durable.
 * - The store's clock decides what is due and what has expired, never the caller's.
 * - A write of a claim is guarded by its fencing token.
 * - Every state change keeps the counters, the groups of dead jobs and the roll-ups right in the same
 *   transaction, and is an event of the journal while somebody wants events.
 */
export interface Store {
  readonly jobs: JobStore;
  readonly claims: ClaimStore;
  readonly steps: StepStore;
  readonly expiry: ExpiryStore;
  readonly queues: QueueStore;
  readonly flows: FlowStore;
  readonly dead: DeadStore;
  readonly schedules: ScheduleStore;
  readonly stats: StatStore;
  readonly workers: WorkerStore;
  readonly operations: OperationStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly maintenance: MaintenanceStore;
  readonly events: EventStore;
  readonly live: LiveStore;
  readonly suggestions: SuggestionStore;

  /** The store's own time, milliseconds since the epoch. */
  now(): number;

  /**
   * Calls `listener` soon after something may have happened that somebody waits for, whichever process did it.
   * It may be called without need, and calls may be joined. Returns what ends the subscription.
   */
  onChange(listener: (change: StoreChange) => void): () => void;

  /**
   * Calls `listener` soon after anything may have been written, whichever process did it. It may be called without
   * need, and calls may be joined. Returns what ends the subscription.
   */
  onCommit(listener: () => void): () => void;

  /**
   * Takes part in a transaction that the caller has open on a connection of its own to the same database.
   *
   * @param connection of better-sqlite3, or a client of pg
   * @throws KonveierError `transaction_unusable`
   */
  join(connection: unknown): JoinedTransaction;

  /** Resolves when the store can be read; rejects with a `store_…` error that says what to do. */
  check(): Promise<void>;

  /**
   * Resolves when something small that was written just now is durable and there is room for more; rejects with a
   * `store_…` error that says what to do. Costs a commit: not for every request.
   */
  checkWrite(): Promise<void>;

  /** What this store is. */
  about(): Promise<StoreDescription>;

  /** A secret of this database: what is signed with it can be checked by every server on it. */
  signingSecret(): Promise<Buffer>;

  /** Finishes what was begun, then closes. Later calls reject with `store_closed`. May be called twice. */
  close(): Promise<void>;
}

export interface StoreDescription {
  /** Such as `sqlite`. */
  readonly kind: string;
  /** Of the database software. */
  readonly version: string;
  readonly schemaVersion: number;
}

export interface StoreChange {
  /** Queues that may have claimable jobs now; `null` when the store cannot tell. */
  readonly queues: ReadonlySet<string> | null;
  /** Whether a job may have been scheduled. */
  readonly scheduled: boolean;
  /** Whether a schedule may have been written or resumed. */
  readonly schedules: boolean;
  /** Whether events may have been written into the journal. */
  readonly events: boolean;
}
