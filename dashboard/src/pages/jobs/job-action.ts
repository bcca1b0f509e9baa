import { BULK_ACTIONS } from "../../../../src/core/bulk-action.js";
import type { JobState } from "../../../../src/core/states.js";
import { send } from "../../api/request.js";
import type { JobView } from "../../api/types.js";

/** What can be done by hand to one job. */
export type JobAction = "retry" | "run-now" | "cancel" | "delete";

const STATES: Readonly<Record<JobAction, readonly JobState[]>> = {
  ...BULK_ACTIONS,
  "run-now": ["scheduled"],
};

export function allows(action: JobAction, { state }: JobView): boolean {
  return STATES[action].includes(state);
}

/** @throws Problem */
export async function perform(action: JobAction, id: string): Promise<void> {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  if (action === "delete") await send(path, { method: "DELETE" });
  else await send(`${path}/${action}`, { method: "POST" });
}
