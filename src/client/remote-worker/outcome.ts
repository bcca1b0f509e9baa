import type { AckItem } from "../../api/lease.js";
import { clampDelayMs } from "../../core/backoff.js";
import type { AnyJobDefinition } from "../../core/define-job.js";
import { encodeJson, resultProblemOf } from "../../core/payload.js";
import type { ClaimedJob } from "../../core/job.js";
import type { Run } from "../../core/run.js";
import { describeError } from "../../core/stored-error.js";
import { lostEnd, type AttemptEnd } from "../../core/tracing.js";
import type { Verdict } from "../../core/verdict.js";

/** What an acknowledgement says besides whose it is. */
export type Outcome = Omit<AckItem, "id" | "leaseToken">;

/**
 * A verdict in the words of the protocol.
 *
 * @param onProblem told when the result cannot be sent, or a backoff function fails
 */
export function outcomeOf(
  verdict: Verdict,
  job: ClaimedJob,
  definition: AnyJobDefinition | undefined,
  onProblem: (error: unknown, during: string) => void,
): Outcome {
  switch (verdict.kind) {
    case "released":
      return { outcome: "released" };
    case "snoozed":
      return {
        outcome: "snoozed",
        delayMs: verdict.delayMs,
        ...(verdict.hold !== undefined && { hold: verdict.hold }),
      };
    case "waiting":
      return { outcome: "waiting", refs: [...verdict.refs] };
    case "completed":
      return completed(verdict.result, job, onProblem);
    case "failed":
      return failed(verdict, job, definition, onProblem);
  }
}

/** How an attempt ended, for its trace. */
export function attemptEnd({ lost }: Run, verdict: Verdict | null): AttemptEnd {
  switch (verdict?.kind) {
    case undefined:
      return lostEnd(lost);
    case "failed":
      return { outcome: verdict.outcome, errorType: describeError(verdict.thrown).type };
    case "completed":
    case "released":
    case "snoozed":
      return { outcome: verdict.kind, errorType: null };
    case "waiting":
      return { outcome: "snoozed", errorType: null };
  }
}

/** The work is done: a result that cannot be kept must not make it run again. */
function completed(
  result: unknown,
  job: ClaimedJob,
  onProblem: (error: unknown, during: string) => void,
): Outcome {
  if (result === undefined) return { outcome: "completed" };
  try {
    encodeJson(result);
    return { outcome: "completed", result };
  } catch (error) {
    onProblem(error, `keeping the result of job ${job.id}, which is completed without it`);
    return { outcome: "completed", resultProblem: resultProblemOf(error) };
  }
}

function failed(
  { thrown, retry }: Extract<Verdict, { kind: "failed" }>,
  job: ClaimedJob,
  definition: AnyJobDefinition | undefined,
  onProblem: (error: unknown, during: string) => void,
): Outcome {
  const { type, message, stack } = describeError(thrown);
  const error = { type, message, ...(stack !== null && { stack }) };
  if (retry === "never") return { outcome: "failed", error, retry };
  if (retry !== "auto") return { outcome: "failed", error, retry: { delayMs: clampDelayMs(retry.delayMs) } };
  // The server cannot know a backoff that is code.
  if (typeof definition?.backoff !== "function") return { outcome: "failed", error };
  try {
    const delayMs: unknown = definition.backoff({
      failures: job.failures + 1,
      jobName: job.name,
      error: message,
    });
    if (typeof delayMs !== "number" || Number.isNaN(delayMs)) throw new TypeError("it returned no number");
    return { outcome: "failed", error, retry: { delayMs: clampDelayMs(delayMs) } };
  } catch (problem) {
    onProblem(problem, `the backoff function of ${job.name}`);
    return { outcome: "failed", error };
  }
}
