import { MAX_LEASE_MS } from "../../core/defaults.js";
import type { EngineContext } from "../../engine/context.js";

/** How often those that have sent heartbeats are written down. */
const REPORT_MS = 10_000;

/**
 * Keeps workers listed whose claims this server has not seen: another one has, or this one before it was started again.
 * What they serve is as it is written down.
 */
export class WorkersElsewhere {
  /** Jobs that each runs, of those that have sent heartbeats since the last report. */
  #running = new Map<string, number>();
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: EngineContext) {}

  beats(workerId: string, claimant: string, running: number): void {
    this.#running.set(keyOf(workerId, claimant), running);
    const now = this.context.clock.monotonic();
    if (now - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = now;
    this.#report().catch((error: unknown) => {
      this.context.health.failed(error, "recording remote workers");
    });
  }

  /** Reads the list once for all of them. */
  async #report(): Promise<void> {
    const { workers } = this.context.store;
    const beaten = this.#running;
    this.#running = new Map();
    // As long as a lease may be, there may be no heartbeat.
    for (const worker of await workers.list(MAX_LEASE_MS)) {
      const running = worker.claimant === null ? undefined : beaten.get(keyOf(worker.id, worker.claimant));
      if (running === undefined) continue;
      await workers.seen({ ...worker, concurrency: Math.max(worker.concurrency, running), running });
    }
  }
}

/** Ids are printable, so the line break ends them. */
export function keyOf(workerId: string, claimant: string): string {
  return `${workerId}\n${claimant}`;
}
