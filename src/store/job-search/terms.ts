import type { JobQuery, JobTerm, TextField, TextTerm, TimeField } from "../../core/job-query/query.js";
import { JOB_STATES, type JobState } from "../../core/states.js";

export const TIME_COLUMNS: Readonly<Record<TimeField, string>> = {
  created: "created_at",
  run: "run_at",
  started: "started_at",
  finished: "finished_at",
};

/** Our own texts, whatever a query that was not checked may hold. */
export const OPERATORS = { ">": ">", ">=": ">=", "<": "<", "<=": "<=", "!=": "<>" } as const;

/** Whether the term asks only for queue, name or state: then the kept counters know how many jobs it is true of. */
export function isLaneTerm(term: JobTerm): boolean {
  if (term.kind === "text") return term.field === "queue" || term.field === "name";
  return term.kind === "state" || term.kind === "word";
}

/** Whether the term reads more than the row of the job. */
export function readsMore(term: JobTerm): boolean {
  switch (term.kind) {
    case "error":
    case "json":
      return true;
    case "text":
      return ["tag", "key", "schedule", "fingerprint"].includes(term.field);
    case "state":
    case "word":
    case "number":
    case "time":
      return false;
  }
}

export function exactTerm({ terms }: JobQuery, field: TextField): TextTerm | null {
  const term = terms.find((each) => each.kind === "text" && each.field === field && !each.negated);
  return term?.kind === "text" ? term : null;
}

/** The states that jobs which match may have. */
export function statesOf({ terms }: JobQuery): readonly JobState[] {
  return JOB_STATES.filter((state) =>
    terms.every((term) => term.kind !== "state" || term.values.includes(state) !== term.negated),
  );
}
