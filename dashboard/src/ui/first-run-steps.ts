import type { JobView } from "../api/types.js";

/** How far a new server has come. */
export const FIRST_STEPS = ["runs", "arrived", "taken", "finished"] as const;

/** The last step that these jobs have come to, as an index. Any job will do: it need not be the one of the example. */
export function stepOf(jobs: readonly Pick<JobView, "state" | "attempt">[]): number {
  if (jobs.some(({ state, attempt }) => attempt > 0 && isFinal(state))) return 3;
  if (jobs.some(({ attempt }) => attempt > 0)) return 2;
  return jobs.length > 0 ? 1 : 0;
}

/** The job that a step is about, the oldest of them; none where what had come so far was deleted or cancelled. */
export function subjectOf<Job extends Pick<JobView, "state" | "attempt">>(
  jobs: readonly Job[],
  step: number,
): Job | undefined {
  return jobs.findLast(({ state, attempt }) => {
    if (step >= 2) return attempt > 0 && (step === 2 || isFinal(state));
    return WAITING.includes(state);
  });
}

const WAITING: readonly JobView["state"][] = ["blocked", "scheduled", "pending"];

function isFinal(state: JobView["state"]): boolean {
  return state === "completed" || state === "dead";
}
