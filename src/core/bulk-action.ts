import { bothQueries, type JobQuery } from "./job-query/query.js";
import type { JobState } from "./states.js";

/** What can be done to many jobs at once, and to jobs of which states. */
export const BULK_ACTIONS = {
  retry: ["dead", "cancelled"],
  cancel: ["blocked", "scheduled", "pending", "running"],
  delete: ["blocked", "scheduled", "pending", "completed", "dead", "cancelled"],
} as const satisfies Record<string, readonly JobState[]>;

export type BulkAction = keyof typeof BULK_ACTIONS;

/** Those of the jobs that the action can be done to. */
export function eligible(action: BulkAction, query: JobQuery): JobQuery {
  return bothQueries(query, {
    terms: [{ kind: "state", negated: false, values: BULK_ACTIONS[action] }],
  });
}
