import type { JobView } from "../../api/types.js";

export const TRIAL_SIZE = 5;

/** What became of a job that was retried to see whether it works now. */
export type TrialOutcome = "waiting" | "running" | "again" | "completed" | "dead" | "cancelled" | "gone";

type Seen = Pick<JobView, "state" | "token">;

/**
 * @param token of the claim before the retry: with another one the job has been run again
 * @param now `null`: the job is no more
 */
export function trialOutcome(token: number | null, now: Seen | null): TrialOutcome {
  if (now === null) return "gone";
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

/** Whether nothing more is to be expected: a job that failed again and waits may wait for hours. */
export function isSettled(outcome: TrialOutcome): boolean {
  return outcome !== "waiting" && outcome !== "running";
}

/** How many ended in which way. */
export function countOutcomes(outcomes: readonly TrialOutcome[]): ReadonlyMap<TrialOutcome, number> {
  const counts = new Map<TrialOutcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}
