import type { Instant } from "../core/job.js";

export interface WorkerRecord {
  readonly id: string;
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
  gone(id: string): Promise<void>;
  /** Workers seen within `withinMs`, by id. */
  list(withinMs: number): Promise<readonly WorkerRecord[]>;
}
