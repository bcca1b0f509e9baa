import type { JobRow } from "./rows.js";

/**
 * Everything that belongs to a job and nothing else. A new table of this kind must be named here; only the row in
 * `dead_jobs` is removed by the ledger, together with its count.
 */
export const TABLES_OF_A_JOB = [
  "job_specs",
  "job_results",
  "attempts",
  "job_progress",
  "job_logs",
  "job_log_batches",
  "job_steps",
  "cancellations",
] as const;

/** What must be known of a job that is removed. */
export type RemovedRow = Pick<JobRow, "id" | "queue" | "name" | "state" | "attempt" | "flow_id">;
