import { callAt, type Clock } from "../../core/clock.js";

export interface TimeLimit {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends the work from outside. */
  readonly signal: AbortSignal;
  /** The error when the time is over. */
  readonly timeoutError: () => Error;
}

/**
 * Runs `work` with a signal that aborts when the time is over or the outer signal aborts. Whatever error
 * the abort leads to in `work`, the caller gets the reason of the abort.
 */
export async function withinTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal: outer, timeoutError } = limit;
  outer.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(outer.reason);
  };
  outer.addEventListener("abort", abort, { once: true });
  const cancelTimeout = callAt(clock, clock.monotonic() + timeoutMs, () => {
    controller.abort(timeoutError());
  });
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    cancelTimeout();
    outer.removeEventListener("abort", abort);
  }
}
