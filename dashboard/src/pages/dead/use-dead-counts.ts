import { readJobCounts } from "../../api/job-counts.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { filterValue } from "../../shell/routes.js";
import { canMatch, type DeadFilter } from "./dead-queries.js";

export interface DeadCounts {
  /** What the filter matches. */
  readonly matched: number;
  readonly total: number;
  /** Of the same name in queues that the filter leaves out. */
  readonly elsewhere: number;
  /** Whether jobs that the filter would match are not dead but scheduled: for their first attempt or for another one. */
  readonly hasScheduled: boolean;
  /** Scheduled jobs of all queues. */
  readonly scheduled: number;
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
        [filter, { ...filter, queue: "" }, { ...filter, queue: "", name: "" }].map((each) =>
          countsOf(each, signal),
        ),
      ),
    { topics: ["jobs"] },
  );
  if (data === undefined) return undefined;
  const [matching = NONE, ofName = NONE, all = NONE] = data;
  const matched = matching.dead;
  return {
    matched,
    total: Math.max(all.dead, matched),
    elsewhere: queue !== "" && name !== "" ? Math.max(0, ofName.dead - matched) : 0,
    hasScheduled: matching.scheduled > 0,
    scheduled: all.scheduled,
  };
}

const NONE = { dead: 0, scheduled: 0 };

async function countsOf(filter: DeadFilter, signal: AbortSignal): Promise<typeof NONE> {
  if (!canMatch(filter)) return NONE;
  const { dead, scheduled } = (await readJobCounts(termsOfFilter(filter), signal)).states;
  return { dead: dead?.count ?? 0, scheduled: scheduled?.count ?? 0 };
}

export function termsOfFilter({ queue, name }: DeadFilter): string {
  return [
    ...(queue === "" ? [] : [`queue:${filterValue(queue)}`]),
    ...(name === "" ? [] : [`name:${filterValue(name)}`]),
  ].join(" ");
}
