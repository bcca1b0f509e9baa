import type { JobQuery, JobTerm, TextField } from "../core/job-query/query.js";
import type { JobFilter } from "./jobs.js";

/** The query that means the same as a plain filter. */
export function queryOfFilter({ state, queue, name, tag }: JobFilter): JobQuery {
  const terms: JobTerm[] = [];
  if (state !== undefined) terms.push({ kind: "state", negated: false, values: [state] });
  if (queue !== undefined) terms.push(exactly("queue", queue));
  if (name !== undefined) terms.push(exactly("name", name));
  if (tag !== undefined) terms.push({ kind: "text", field: "tag", negated: false, values: [tag] });
  return { terms };
}

/** No name has a star, which would be a pattern here. */
function exactly(field: TextField, value: string): JobTerm {
  return { kind: "text", field, negated: false, values: value.includes("*") ? [] : [value] };
}
