import { clampDelayMs } from "./backoff.js";
import { LeaseLostError } from "./errors.js";
import { Hold, NonRetryableError, RetryAfter, Snooze, WaitForJobs, type HoldScope } from "./outcomes.js";
import { JobTimeoutError, WorkerStoppingError, type Run } from "./run.js";

/**
 * Whether and when there is another attempt: `auto` by budget and backoff, `never`, or after a delay of
 * the handler's own choice as long as the budget lasts.
 */
export type RetryWish = "auto" | "never" | { readonly delayMs: number };

/** How an attempt ended, before anybody is told. */
export type Verdict =
  | { readonly kind: "completed"; readonly result: unknown }
  | {
      readonly kind: "failed";
      readonly outcome: "failed" | "timed_out" | "lost";
      readonly thrown: unknown;
      readonly retry: RetryWish;
    }
  | { readonly kind: "released" }
  | { readonly kind: "snoozed"; readonly delayMs: number; readonly hold?: HoldScope }
  | { readonly kind: "waiting"; readonly refs: readonly string[] };

/** What a thrown value, or an abort, makes of the attempt. */
export function verdictOn({ abortReason }: Run, thrown: unknown): Verdict {
  if (abortReason instanceof WorkerStoppingError) return { kind: "released" };
  if (isA(thrown, Snooze)) return { kind: "snoozed", delayMs: clampDelayMs(thrown.delayMs) };
  if (isA(thrown, WaitForJobs)) return { kind: "waiting", refs: thrown.refs };
  if (isA(thrown, Hold)) {
    return { kind: "snoozed", delayMs: clampDelayMs(thrown.delayMs), hold: thrown.scope };
  }
  if (isA(thrown, JobTimeoutError)) return { kind: "failed", outcome: "timed_out", thrown, retry: "auto" };
  if (abortReason instanceof LeaseLostError) {
    // Perhaps nobody took the job yet, and this is still accepted; then the attempt is used up.
    return { kind: "failed", outcome: "lost", thrown, retry: "auto" };
  }
  return { kind: "failed", outcome: "failed", thrown, retry: wishOf(thrown) };
}

function wishOf(thrown: unknown): RetryWish {
  if (isA(thrown, NonRetryableError)) return "never";
  return isA(thrown, RetryAfter) ? { delayMs: thrown.delayMs } : "auto";
}

/** Like `instanceof`, also for what cannot be asked: a revoked proxy, or one whose traps throw. */
function isA<Kind>(thrown: unknown, kind: new (...args: never[]) => Kind): thrown is Kind {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}
