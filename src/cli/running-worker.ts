import type { AnyJobDefinition } from "../core/define-job.js";

/** A worker that runs, wherever its jobs are. */
export interface RunningWorker {
  readonly id: string;
  /** Resolves when it has stopped; rejects when it stopped by itself. */
  readonly finished: Promise<unknown>;
  /** May be called again with a shorter grace. @returns how many jobs were given back */
  stop(graceMs: number): Promise<number>;
}

/** What both kinds of workers take. */
export interface WorkerSettings {
  readonly jobs: readonly AnyJobDefinition[];
  readonly queues?: readonly string[];
  readonly concurrency?: number;
  readonly leaseMs?: number;
  readonly id?: string;
}
