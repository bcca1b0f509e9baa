import type { JobView } from "../../api/types.js";

export const TRIAL_SIZE = 5;

/** A job as it was before it was retried. */
export type RetriedJob = Pick<JobView, "id" | "token">;

/** What became of a job that was retried. `untouched`: the retry ended without it. */
export type Outcome =
  "completed" | "dead" | "again" | "running" | "waiting" | "cancelled" | "gone" | "untouched";

type Seen = Pick<JobView, "state" | "token">;

/**
 * @param token of the claim before the retry: with another one the job has been run again
 * @param now `null`: the job is no more
 * @param retryIsOver whether a job that is still dead was left out, and not just read too early
 */
export function outcomeOf(token: number | null, now: Seen | null, retryIsOver = false): Outcome {
  if (now === null) return "gone";
  if (now.token === token && now.state === "dead" && retryIsOver) return "untouched";
  if (now.state === "cancelled") return "cancelled";
  if (now.token === token) return "waiting";
  switch (now.state) {
    case "running":
    case "completed":
    case "dead":
      return now.state;
    default:
      // Failed, and has attempts left.
      return "again";
  }
}

/** Whether it has run, or never will: a job that failed again and waits may wait for hours. */
export function isSettled(outcome: Outcome): boolean {
  return outcome !== "waiting" && outcome !== "running";
}

/** Whether nothing more becomes of it by itself. */
export function isFinal(outcome: Outcome): boolean {
  return isSettled(outcome) && outcome !== "again";
}

/** How many ended in which way. */
export function countOutcomes(outcomes: Iterable<Outcome>): ReadonlyMap<Outcome, number> {
  const counts = new Map<Outcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}
