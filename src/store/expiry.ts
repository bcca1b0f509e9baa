import type { Instant, Job } from "../core/job.js";

export interface ExpiryStore {
  /** When the next job that waits for its first start expires; `null` when none does. */
  next(): Promise<Instant | null>;
  /** Cancels up to `limit` jobs that have expired, longest ago first. */
  cancelDue(limit: number): Promise<readonly Job[]>;
}
