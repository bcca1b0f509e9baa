import type { JobView } from "../api/types.js";

/** How far a new server has come. */
export const FIRST_STEPS = ["runs", "arrived", "taken", "finished"] as const;

/** The last step that these jobs have come to, as an index. Any job will do: it need not be the one of the example. */
export function stepOf(jobs: readonly Pick<JobView, "state" | "attempt">[]): number {
  if (jobs.some(({ state, attempt }) => attempt > 0 && isFinal(state))) return 3;
  if (jobs.some(({ attempt }) => attempt > 0)) return 2;
  return jobs.length > 0 ? 1 : 0;
}

function isFinal(state: JobView["state"]): boolean {
  return state === "completed" || state === "dead";
}
