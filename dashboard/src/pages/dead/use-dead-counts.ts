import { useJobCounts } from "../../api/job-counts.js";
import { useDeadCount } from "../../shell/dead-count.js";
import { filterValue } from "../../shell/routes.js";
import type { DeadFilter } from "./dead-queries.js";

export interface DeadCounts {
  /** What the filter matches; `null`: not known yet. */
  readonly matched: number | null;
  readonly total: number;
  /** Of the same name in queues that the filter leaves out. */
  readonly elsewhere: number;
}

/** The dead jobs that the filter of the page matches, in the filter language. */
export function deadQuery(filter: DeadFilter): string {
  return `state:dead ${termsOfFilter(filter)}`.trim();
}

export function useDeadCounts(filter: DeadFilter): DeadCounts {
  const { queue, name } = filter;
  const total = useDeadCount();
  const counts = useJobCounts(termsOfFilter(filter)).data;
  const named = useJobCounts(termsOfFilter({ ...filter, queue: "" })).data;
  const isFiltered = queue !== "" || name !== "";
  const matched = isFiltered ? (counts?.states.dead?.count ?? null) : total;
  const ofName = named?.states.dead?.count ?? 0;
  return {
    matched,
    total,
    elsewhere: queue !== "" && name !== "" && matched !== null ? Math.max(0, ofName - matched) : 0,
  };
}

function termsOfFilter({ queue, name }: DeadFilter): string {
  return [
    ...(queue === "" ? [] : [`queue:${filterValue(queue)}`]),
    ...(name === "" ? [] : [`name:${filterValue(name)}`]),
  ].join(" ");
}
