import { jobPath, queuePath, schedulePath } from "../../shell/routes.js";

/** Where the page of what an operation was about is; `null` when it has none, or not any more. */
export function targetPath(action: string, target: string): string | null {
  if (action === "deleteJob" || action === "deleteSchedule") return null;
  if (action.includes("Job")) return jobPath(target);
  if (action.endsWith("Queue")) return queuePath(target);
  if (action.endsWith("Schedule")) return schedulePath(target);
  return null;
}
