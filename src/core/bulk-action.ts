import type { JobQuery, StateTerm } from "./job-query/query.js";
import type { JobState } from "./states.js";

/** What can be done to many jobs at once, and to jobs of which states. */
export const BULK_ACTIONS = {
  retry: ["dead", "cancelled"],
  cancel: ["blocked", "scheduled", "pending", "running"],
  delete: ["blocked", "scheduled", "pending", "completed", "dead", "cancelled"],
} as const satisfies Record<string, readonly JobState[]>;

export type BulkAction = keyof typeof BULK_ACTIONS;

/**
 * Those of the jobs that the action can be done to. Its terms about states are made one, since two of them in the text
 * of a filter mean either and not both.
 */
export function eligible(action: BulkAction, { terms }: JobQuery): JobQuery {
  const allowed: readonly JobState[] = BULK_ACTIONS[action];
  const asked = terms.filter((term) => term.kind === "state");
  const values = allowed.filter((state) => asked.every((term) => isTrue(term, state)));
  // No term says "no state", but a term and its opposite do.
  const states =
    values.length > 0
      ? [{ negated: false, values }]
      : [false, true].map((negated) => ({ negated, values: allowed }));
  return {
    terms: [
      ...terms.filter((term) => term.kind !== "state"),
      ...states.map((state) => ({ kind: "state", ...state }) as const),
    ],
  };
}

function isTrue({ negated, values }: StateTerm, state: JobState): boolean {
  return values.includes(state) !== negated;
}
