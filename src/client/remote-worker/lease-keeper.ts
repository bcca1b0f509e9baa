import { callAt } from "../../core/clock.js";
import { MAX_BATCH } from "../../core/defaults.js";
import { heartbeatIntervalMs } from "../../core/heartbeat.js";
import type { Run } from "../../core/run.js";
import { isRefusedToken } from "../errors.js";
import type { Link } from "./link.js";

/** After a failed heartbeat the next one does not wait for its turn. */
const RETRY_MS = 500;

/** Extends the leases of all runs, and aborts those that were lost or may have ended unnoticed. */
export class LeaseKeeper {
  readonly #intervalMs: number;
  readonly #cancels = new Set<() => void>();
  #stopped = false;

  constructor(
    private readonly link: Link,
    /** The runs that are held, with their lease tokens. */
    private readonly runs: ReadonlyMap<Run, string>,
  ) {
    this.#intervalMs = heartbeatIntervalMs(link.leaseMs);
  }

  start(): void {
    this.#after(this.#intervalMs, () => {
      this.#beatAndGoOn();
    });
    this.#watch();
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #beatAndGoOn(): void {
    this.beat().then(
      () => {
        this.#again(this.#intervalMs);
      },
      (error: unknown) => {
        if (isRefusedToken(error)) this.link.refused(error);
        else this.link.problem(error, "a heartbeat");
        this.#again(Math.min(this.#intervalMs, RETRY_MS));
      },
    );
  }

  #again(ms: number): void {
    this.#after(ms, () => {
      this.#beatAndGoOn();
    });
  }

  /** Also tells the server that the worker lives, when it holds nothing. */
  async beat(): Promise<void> {
    const held = [...this.runs].filter(([run]) => run.lost === null);
    for (let from = 0; from === 0 || from < held.length; from += MAX_BATCH) {
      await this.#extend(held.slice(from, from + MAX_BATCH));
    }
  }

  async #extend(held: readonly (readonly [Run, string])[]): Promise<void> {
    const { client, workerId, leaseMs, clock } = this.link;
    const leases = held.map(([{ job }, leaseToken]) => ({ id: job.id, leaseToken }));
    const deadline = clock.monotonic() + leaseMs;
    const { results } = await client.leases.heartbeat(
      { workerId, leaseMs, leases },
      { maxTries: 1, timeoutMs: Math.max(this.#intervalMs, RETRY_MS) },
    );
    for (const [index, [run]] of held.entries()) {
      const answer = results[index];
      if (answer === undefined) continue;
      if (answer.ok) run.extended(deadline);
      else run.lose(answer.reason);
    }
  }

  /** Whatever becomes of the heartbeats: at the end of its lease a run may go on elsewhere. */
  #watch(): void {
    let next = this.#intervalMs;
    const now = this.link.clock.monotonic();
    for (const run of this.runs.keys()) {
      run.checkLease();
      if (run.abortReason === null) next = Math.min(next, run.leaseDeadline - now);
    }
    this.#after(next, () => {
      this.#watch();
    });
  }

  #after(ms: number, act: () => void): void {
    if (this.#stopped) return;
    const { clock } = this.link;
    const cancel = callAt(clock, clock.monotonic() + ms, () => {
      this.#cancels.delete(cancel);
      act();
    });
    this.#cancels.add(cancel);
  }
}
