/** Where time comes from. Wall time is stored, monotonic time measures durations. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. May step in both directions. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /**
   * Calls `callback` once, about `delayMs` later; returns what cancels it.
   * A timer may be early or late: whoever sets one checks the time again when it fires.
   */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Longest delay given to `setTimeout`: above 2^31-1 ms Node fires after 1 ms instead. */
export const MAX_TIMER_MS = 60_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Calls `callback` once `clock.monotonic()` has reached `deadline`, however far away that is and however
 * early a timer fires. Returns what cancels it.
 */
export function callAt(clock: Clock, deadline: number, callback: () => void): () => void {
  let cancel = (): void => undefined;
  const arm = (): void => {
    const left = deadline - clock.monotonic();
    if (left <= 0) callback();
    else cancel = clock.setTimer(Math.min(left, MAX_TIMER_MS), arm);
  };
  cancel = clock.setTimer(Math.min(Math.max(deadline - clock.monotonic(), 0), MAX_TIMER_MS), arm);
  return () => {
    cancel();
  };
}
