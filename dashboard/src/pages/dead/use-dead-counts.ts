import { readJobCounts } from "../../api/job-counts.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { filterValue } from "../../shell/routes.js";
import type { DeadFilter } from "./dead-queries.js";

export interface DeadCounts {
  /** What the filter matches. */
  readonly matched: number;
  readonly total: number;
  /** Of the same name in queues that the filter leaves out. */
  readonly elsewhere: number;
}

/** The dead jobs that the filter of the page matches, in the filter language. */
export function deadQuery(filter: DeadFilter): string {
  return `state:dead ${termsOfFilter(filter)}`.trim();
}

/** `undefined`: not known yet. */
export function useDeadCounts(filter: DeadFilter): DeadCounts | undefined {
  const { queue, name } = filter;
  // Read together, so that a part is never more than the whole.
  const { data } = useLiveQuery(
    ["dead counts", queue, name],
    (signal) =>
      Promise.all(
        [termsOfFilter(filter), termsOfFilter({ ...filter, queue: "" }), ""].map((q) => deadOf(q, signal)),
      ),
    { topics: ["jobs"], everyMs: 2_000 },
  );
  if (data === undefined) return undefined;
  const [matched = 0, ofName = 0, total = 0] = data;
  return {
    matched,
    total: Math.max(total, matched),
    elsewhere: queue !== "" && name !== "" ? Math.max(0, ofName - matched) : 0,
  };
}

async function deadOf(q: string, signal: AbortSignal): Promise<number> {
  return (await readJobCounts(q, signal)).states.dead?.count ?? 0;
}

function termsOfFilter({ queue, name }: DeadFilter): string {
  return [
    ...(queue === "" ? [] : [`queue:${filterValue(queue)}`]),
    ...(name === "" ? [] : [`name:${filterValue(name)}`]),
  ].join(" ");
}
