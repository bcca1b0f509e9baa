import { backoffDelayMs, clampDelayMs } from "../core/backoff.js";
import type { ClaimedJob } from "../core/job.js";
import type { RetryWish } from "../core/verdict.js";
import type { FailedSettlement, Failure } from "../store/claims.js";
import type { EngineContext } from "./context.js";

/** What a decision about a failed attempt needs to know of the claim. */
export type FailedClaim = Pick<
  ClaimedJob,
  "id" | "token" | "name" | "attempt" | "maxAttempts" | "failures" | "backoff"
>;

/** The settlement of a failed attempt: another one later, or the end. Every kind of failure comes here. */
export function failure(
  context: Pick<EngineContext, "random" | "backoffFunctions" | "events">,
  claim: FailedClaim,
  failed: Failure,
  retry: RetryWish = "auto",
): FailedSettlement {
  const { id, token } = claim;
  if (retry === "never" || claim.attempt >= claim.maxAttempts) {
    return { verb: "bury", id, token, failure: failed };
  }
  const delayMs = retry === "auto" ? delayFor(context, claim, failed) : clampDelayMs(retry.delayMs);
  return { verb: "retry", id, token, delayMs, failure: failed };
}

function delayFor(
  context: Pick<EngineContext, "random" | "backoffFunctions" | "events">,
  claim: FailedClaim,
  failed: Failure,
): number {
  const failures = claim.failures + 1;
  const custom = context.backoffFunctions.get(claim.name);
  if (custom !== undefined) {
    try {
      const delayMs: unknown = custom({ failures, jobName: claim.name, error: failed.error.message });
      if (typeof delayMs === "number" && !Number.isNaN(delayMs)) return clampDelayMs(delayMs);
      throw new TypeError(
        `it returned ${typeof delayMs === "number" ? "NaN" : `a ${typeof delayMs}`}, not milliseconds`,
      );
    } catch (error) {
      context.events.emit("internal.error", { error, during: `the backoff function of ${claim.name}` });
    }
  }
  return backoffDelayMs(claim.backoff, failures, context.random);
}
