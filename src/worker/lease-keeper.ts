import { callAt } from "../core/clock.js";
import { heartbeatIntervalMs } from "../core/heartbeat.js";
import type { EngineContext } from "../engine/context.js";
import { Loop } from "../engine/loops/loop.js";
import type { Run } from "../core/run.js";

/** After a failed heartbeat the next one does not wait for its turn. */
const RETRY_MS = 500;

/**
 * Extends the leases of the worker's runs, every third of the lease and at least every ten seconds, until the last one is
 * acknowledged. Runs whose lease may have ended without an answer are aborted.
 */
export class LeaseKeeper {
  readonly #loop;
  readonly #intervalMs: number;

  constructor(
    private readonly context: EngineContext,
    private readonly leaseMs: number,
    private readonly runs: () => Iterable<Run>,
    private readonly report: () => Promise<void>,
  ) {
    this.#intervalMs = heartbeatIntervalMs(leaseMs);
    this.#loop = new Loop(
      context.clock,
      () => this.#beat(),
      (error) => {
        context.health.failed(error, "a heartbeat");
        for (const run of this.runs()) run.checkLease();
        return Math.min(this.#intervalMs, RETRY_MS);
      },
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #beat(): Promise<number> {
    const runs = [...this.runs()].filter((run) => run.lost === null && !run.completedWithin);
    const deadline = this.context.clock.monotonic() + this.leaseMs;
    const endWatch = this.#watch();
    const [extended] = await Promise.all([
      this.context.store.claims.extend(
        runs.map(({ job }) => job),
        this.leaseMs,
      ),
      this.report(),
    ]).finally(endWatch);
    for (const [index, run] of runs.entries()) {
      const answer = extended[index];
      if (answer === undefined) continue;
      if (answer.ok) run.extended(deadline);
      else run.lose(answer.reason);
    }
    this.context.health.wrote();
    return this.#intervalMs;
  }

  /** The answer to a heartbeat may take longer than the leases last. Returns what ends the watch. */
  #watch(): () => void {
    const { clock } = this.context;
    let cancel: () => void;
    const look = (): void => {
      let next = clock.monotonic() + this.#intervalMs;
      for (const run of this.runs()) {
        run.checkLease();
        if (run.abortReason === null) next = Math.min(next, run.leaseDeadline);
      }
      cancel = callAt(clock, next, look);
    };
    look();
    return () => {
      cancel();
    };
  }
}
