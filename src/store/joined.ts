import type { Enqueued } from "../core/job.js";
import type { MaybePromise } from "../core/transactions.js";
import type { Settled } from "./claims.js";
import type { Completion } from "./endings.js";
import type { NewJob } from "./jobs.js";

/**
 * Writes into a transaction that the caller has open. They are committed or rolled back together with the caller's
 * own, so nobody else sees them before. A write that is refused leaves nothing behind.
 */
export interface JoinedTransaction {
  /** Whether everything is done when a call returns, without a promise. */
  readonly atOnce: boolean;
  /**
   * Inserts all jobs or none.
   *
   * @throws KonveierError `idempotency_key_reused`, `transaction_unusable`
   */
  insertMany(jobs: readonly NewJob[]): MaybePromise<readonly Enqueued[]>;
  /** Ends a claim with success. @throws KonveierError `transaction_unusable` */
  complete(completion: Completion): MaybePromise<Settled>;
}
