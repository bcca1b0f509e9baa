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

/** What a hold keeps from starting: all jobs of the queue, or those with the key of this one. */
export const HOLD_SCOPES = ["queue", "key"] as const;
export type HoldScope = (typeof HOLD_SCOPES)[number];

/**
 * Lets no job of the queue, or of this job's key, start for a while, for example when an upstream answers 429. The job
 * itself is put back to run then. Not a failure: the attempt is given back. Jobs that run already go on.
 */
export class Hold extends Error {
  override readonly name = "Hold";
  readonly scope: HoldScope;

  /**
   * @param delayMs whole milliseconds until jobs may start again, 0 or more
   * @param options `scope`: default `queue`. `key`: the job's `rateKey`, or its `concurrencyKey` when it has no other;
   *   without either only the job itself waits
   */
  constructor(
    readonly delayMs: number,
    { scope = "queue" }: { scope?: HoldScope } = {},
  ) {
    super(`Held for ${delayMs} ms`);
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new RangeError(`Hold needs a delay of 0 ms or more, got ${delayMs}`);
    }
    if (!HOLD_SCOPES.includes(scope)) {
      throw new RangeError(`Hold needs the scope ${HOLD_SCOPES.join(" or ")}, got ${scope as string}`);
    }
    this.scope = scope;
  }
}
