/**
 * What a handler may throw to say more than "this attempt failed".
 * Anything else that it throws fails the attempt and is retried by the job's backoff.
 */

/** Fails the job for good: no further attempt, whatever is left of its budget. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
}

/** Fails the attempt and sets the delay before the next one, for example from an HTTP `Retry-After`. */
export class RetryAfter extends Error {
  override readonly name = "RetryAfter";

  /** @param delayMs whole milliseconds until the next attempt, 0 or more; replaces the backoff, uses up the attempt */
  constructor(
    readonly delayMs: number,
    message = `Retry after ${delayMs} ms`,
    options?: ErrorOptions,
  ) {
    super(message, options);
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new RangeError(`RetryAfter needs a delay of 0 ms or more, got ${delayMs}`);
    }
  }
}

/** Puts the job back until other jobs of its flow have ended. Not a failure: the attempt is given back. */
export class WaitForJobs extends Error {
  override readonly name = "WaitForJobs";

  /** @param refs of jobs of the same flow */
  constructor(readonly refs: readonly string[]) {
    super(`Waits for ${refs.join(", ")}`);
  }
}

/** Puts the job back to run later. Not a failure: the attempt is given back. */
export class Snooze extends Error {
  override readonly name = "Snooze";

  /** @param delayMs whole milliseconds until the job can be claimed again, 0 or more */
  constructor(readonly delayMs: number) {
    super(`Snoozed for ${delayMs} ms`);
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new RangeError(`Snooze needs a delay of 0 ms or more, got ${delayMs}`);
    }
  }
}
