import type { JobView } from "../api/types.js";

/** Whether a dead job had attempts left: its handler said that another one would be of no use. */
export function diedForGood({
  state,
  attempt,
  maxAttempts,
}: Pick<JobView, "state" | "attempt" | "maxAttempts">): boolean {
  return state === "dead" && attempt < maxAttempts;
}
