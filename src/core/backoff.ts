import { DEFAULT_BACKOFF } from "./defaults.js";

/**
 * The delay before the next attempt.
 *
 * - `fixed`: always `delayMs`.
 * - `exponential`: `baseMs` doubled with every attempt, never above `maxMs`.
 *
 * `jitter` (0 to 1) is the part of the delay that is random, taken downwards: 0.2 gives 80 to 100 % of
 * it, 1 gives 0 to 100 %. It spreads retries of jobs that failed together. Default 0.2 for
 * `exponential`, 0 for `fixed`.
 */
export type Backoff =
  | { readonly type: "fixed"; readonly delayMs: number; readonly jitter?: number }
  | {
      readonly type: "exponential";
      readonly baseMs?: number;
      readonly maxMs?: number;
      readonly jitter?: number;
    };

/** What a custom backoff function is told. */
export interface BackoffInput {
  /** Failures in a row in the present budget, from 1. */
  readonly failures: number;
  readonly jobName: string;
  /** Message of the error that ended the attempt. */
  readonly error: string;
}

/**
 * A backoff of your own, given to `defineJob`: returns milliseconds.
 * It is code, so it is not stored with the job: a process that does not know it uses the stored policy.
 */
export type BackoffFunction = (input: BackoffInput) => number;

/** A year: an instant computed from it stays valid, and nobody waits longer on purpose. */
export const MAX_BACKOFF_MS = 365 * 24 * 3_600_000;

/**
 * The delay in whole milliseconds before the attempt that follows failure number `failures` (from 1).
 * Never negative, never above the cap; the cap holds after jitter too.
 */
export function backoffDelayMs(backoff: Backoff | null, failures: number, random: () => number): number {
  const policy = backoff ?? DEFAULT_BACKOFF;
  const [full, jitter] =
    policy.type === "fixed"
      ? [policy.delayMs, policy.jitter ?? 0]
      : [exponentialMs(policy, failures), policy.jitter ?? DEFAULT_BACKOFF.jitter];
  return clampDelayMs(full * (1 - jitter * random()));
}

function exponentialMs(
  policy: { readonly baseMs?: number; readonly maxMs?: number },
  failures: number,
): number {
  const base = policy.baseMs ?? DEFAULT_BACKOFF.baseMs;
  const cap = policy.maxMs ?? DEFAULT_BACKOFF.maxMs;
  // 2^n becomes Infinity near n = 1024, and min() takes the cap then.
  return Math.min(base * 2 ** (failures - 1), cap);
}

/** Makes whatever a backoff or a handler came up with a storable delay. What is no number counts as the cap. */
export function clampDelayMs(delayMs: unknown): number {
  if (typeof delayMs !== "number" || Number.isNaN(delayMs)) return DEFAULT_BACKOFF.maxMs;
  return Math.round(Math.min(Math.max(delayMs, 0), MAX_BACKOFF_MS));
}
