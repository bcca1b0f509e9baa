import type { Clock } from "./clock.js";
import { LeaseLostError, type LeaseLossReason } from "./errors.js";
import type { ClaimedJob } from "./job.js";
import type { ProcessTrace } from "./tracing.js";

/** The attempt took longer than the job's `timeoutMs`. Reason of the handler's signal. */
export class JobTimeoutError extends Error {
  override readonly name = "JobTimeoutError";

  constructor(readonly timeoutMs: number) {
    super(`The attempt took longer than ${timeoutMs} ms`);
  }
}

/** The worker stops and gives the job back. Reason of the handler's signal. */
export class WorkerStoppingError extends Error {
  override readonly name = "WorkerStoppingError";

  constructor() {
    super("The worker is stopping; the job goes back to its queue");
  }
}

export type AbortReason = JobTimeoutError | WorkerStoppingError | LeaseLostError;

/**
 * One claimed job in this worker, from the claim to its acknowledged end. Knows until when its lease
 * holds by a monotonic clock, counted from before the claim was sent: never longer than the store thinks.
 */
export class Run {
  #controller: AbortController | null = null;
  #abortReason: AbortReason | null = null;
  #leaseDeadline: number;
  #onAbort: ((reason: AbortReason) => void) | null = null;
  #lost: LeaseLossReason | null = null;
  #settled = false;
  /** Of the handler's run; `null` when it is not traced, or has not begun. */
  trace: ProcessTrace | null = null;
  /** Whether the handler has completed the job in a transaction, which may be committed, open or rolled back. */
  completedWithin = false;

  constructor(
    readonly job: ClaimedJob,
    readonly clock: Clock,
    leaseDeadline: number,
  ) {
    this.#leaseDeadline = leaseDeadline;
  }

  /**
   * The handler's signal, made when it is first asked for. Asking also compares the clock, so that a
   * handler that blocked the event loop beyond its lease learns of it here, before any timer ran.
   */
  get signal(): AbortSignal {
    this.checkLease();
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#abortReason !== null) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Until when the lease holds, by the monotonic clock. */
  get leaseDeadline(): number {
    return this.#leaseDeadline;
  }

  get abortReason(): AbortReason | null {
    return this.#abortReason;
  }

  /** Set when the store said that the claim is no longer the current one. */
  get lost(): LeaseLossReason | null {
    return this.#lost;
  }

  /** Whether nobody has decided how this claim ends; from now on somebody has. */
  takeDecision(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    return true;
  }

  /** Calls `listener` at the first abort, at once when that has been. */
  onAbort(listener: (reason: AbortReason) => void): void {
    if (this.#abortReason !== null) listener(this.#abortReason);
    else this.#onAbort = listener;
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== null) return;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#onAbort?.(reason);
  }

  extended(leaseDeadline: number): void {
    this.#leaseDeadline = leaseDeadline;
  }

  /** The store refused this claim. */
  lose(reason: LeaseLossReason): void {
    this.#lost = reason;
    this.abort(new LeaseLostError(this.job.id, this.job.token, reason));
  }

  /** Aborts when the lease may have ended: without a word from the store nothing better can be assumed. */
  checkLease(): void {
    // A job that was completed in a transaction is held by that, not by its lease.
    if (this.completedWithin) return;
    if (this.clock.monotonic() < this.#leaseDeadline) return;
    this.abort(new LeaseLostError(this.job.id, this.job.token, "reclaimed"));
  }
}
