import type { Instant } from "../core/job.js";

export interface WorkerRecord {
  readonly id: string;
  /**
   * Who claims under this id, where workers do not know of each other, as in `ClaimRequest`: two claimants with one id
   * are two workers. `null`: a process that uses the store itself.
   */
  readonly claimant: string | null;
  readonly host: string;
  readonly pid: number;
  readonly queues: readonly string[];
  /** `null`: all names. */
  readonly names: readonly string[] | null;
  readonly concurrency: number;
  readonly running: number;
  readonly state: "active" | "stopping";
  readonly startedAt: Instant;
  readonly seenAt: Instant;
}

export interface WorkerStore {
  /** Records that the worker lives. `startedAt` and `seenAt` are the store's. */
  seen(worker: Omit<WorkerRecord, "startedAt" | "seenAt">): Promise<void>;
  /** One that uses the store itself signs off. */
  gone(id: string): Promise<void>;
  /** Workers seen within `withinMs`, by id. */
  list(withinMs: number): Promise<readonly WorkerRecord[]>;
}
