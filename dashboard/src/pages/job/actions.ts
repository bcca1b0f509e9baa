import type { JobState } from "../../api/types.js";

export type JobAction = "retry" | "run-now" | "cancel" | "delete";

const BY_STATE: Readonly<Record<string, readonly JobAction[]>> = {
  blocked: ["cancel", "delete"],
  scheduled: ["run-now", "cancel", "delete"],
  pending: ["cancel", "delete"],
  running: ["cancel", "delete"],
  completed: ["delete"],
  dead: ["retry", "delete"],
  cancelled: ["retry", "delete"],
} satisfies Record<JobState, readonly JobAction[]>;

/** What can be done to a job in a state, what is most likely wanted first. A state that is not known here: nothing. */
export function actionsOf(state: string): readonly JobAction[] {
  return BY_STATE[state] ?? [];
}

/** Whether an action is asked about first: it cannot be taken back. */
export function asksFirst(action: JobAction): action is "cancel" | "delete" {
  return action === "cancel" || action === "delete";
}
