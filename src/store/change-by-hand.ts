import { isFinished, type JobState } from "../core/states.js";
import type { JobChange } from "./jobs.js";

type Outcome = Exclude<JobChange["outcome"], "missing">;

export function outcomeOfCancel(state: JobState): Outcome {
  if (state === "cancelled") return "unchanged";
  return isFinished(state) ? "refused" : "changed";
}

/** One that is pending already: most likely the second click of a double-click. */
export function outcomeOfRevive(state: JobState): Outcome {
  if (state === "pending") return "unchanged";
  return state === "dead" || state === "cancelled" ? "changed" : "refused";
}

export function outcomeOfRunNow(state: JobState): Outcome {
  if (state === "pending") return "unchanged";
  return state === "scheduled" ? "changed" : "refused";
}

export function outcomeOfDelete(state: JobState, force: boolean): Outcome {
  return state === "running" && !force ? "refused" : "changed";
}
