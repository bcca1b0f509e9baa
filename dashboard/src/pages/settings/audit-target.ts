import type { BulkAction } from "../../api/types.js";
import { flowPath, jobPath, queuePath, schedulePath } from "../../shell/routes.js";

/**
 * Which jobs a bulk operation was about: the server puts the action before the filter. `null`: it is about something
 * else.
 */
export function bulkOf(detail: string | null): { readonly action: BulkAction; readonly jobs: string } | null {
  const [, action, jobs = ""] = /^(retry|cancel|delete) · (.*)$/s.exec(detail ?? "") ?? [];
  return action === undefined ? null : { action: action as BulkAction, jobs };
}

/** Where the page of what an operation was about is; `null` when it has none, or not any more. */
export function targetPath(action: string, target: string): string | null {
  if (action === "deleteJob" || action === "deleteSchedule") return null;
  if (action.includes("Job")) return jobPath(target);
  if (action.endsWith("Flow")) return flowPath(target);
  if (action.endsWith("Queue")) return queuePath(target);
  if (action.endsWith("Schedule")) return schedulePath(target);
  return null;
}
