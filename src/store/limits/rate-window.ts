import type { Instant } from "../../core/job.js";
import type { RateLimit } from "../../core/queue-limits.js";

/**
 * A window slides by so many steps, so that a busy queue leaves a few rows and not one for each start. What is free
 * again is known up to one step late, and never too early.
 */
const BUCKETS_PER_WINDOW = 50;

/** Starts of jobs are counted by the time in which they fall. A bucket counts until its last moment has left the window. */
export interface Bucket {
  readonly at: Instant;
  /** Its end, which is not part of it. With another limit later buckets have another length. */
  readonly until: Instant;
}

export function bucketOf(now: Instant, { perMs }: RateLimit): Bucket {
  const length = Math.ceil(perMs / BUCKETS_PER_WINDOW);
  const at = now - (now % length);
  return { at, until: at + length };
}

/** Buckets that end later than this count. */
export function windowStart(now: Instant, { perMs }: RateLimit): Instant {
  return now - perMs;
}

/** When a bucket does not count any more. */
export function leavesAt({ until }: Pick<Bucket, "until">, { perMs }: RateLimit): Instant {
  return until + perMs;
}
