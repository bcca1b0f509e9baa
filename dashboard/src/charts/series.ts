import { useIsLimited } from "../api/queries.js";
import { read } from "../api/request.js";
import type { ActivitySeriesView, DurationSeriesView } from "../api/types.js";
import { knownServerNow } from "../live/clock.js";
import { useLiveQuery, withoutPrevious } from "../live/use-live-query.js";
import { beginOf, refreshMsOf, type RangeName } from "./ranges.js";

/** Which jobs a series is about; without both, all. */
export interface SeriesOf {
  readonly queue?: string;
  readonly name?: string;
}

type Metric = "activity" | "wait" | "run" | "lag";

function useSeries<View>(metric: Metric, { queue, name }: SeriesOf, range: RangeName) {
  const isAllowed = useIsLimited() === false || queue !== undefined;
  const query = useLiveQuery<View>(
    ["series", metric, queue, name, range],
    async (signal) => {
      const from = beginOf(range, await knownServerNow());
      return read<View>("/v1/stats/timeseries", { metric, queue, name, from }, signal);
    },
    { topics: ["jobs", "queues"], everyMs: refreshMsOf(range), ...(queue !== undefined && { queue }) },
    isAllowed,
  );
  return withoutPrevious(query);
}

export const useActivity = (of: SeriesOf, range: RangeName) =>
  useSeries<ActivitySeriesView>("activity", of, range);

export const useDurations = (metric: "wait" | "run" | "lag", of: SeriesOf, range: RangeName) =>
  useSeries<DurationSeriesView>(metric, of, range);

const FIVE_MINUTES = 300_000;

/** A point that is not over yet looks like a fall. Wide ones are shown all the same: today is most of what one asks for. */
export function finishedPoints<Point extends { readonly at: string }>(
  points: readonly Point[],
  now: number,
): readonly Point[] {
  const [first, second] = points;
  if (first === undefined || second === undefined || points.length < 3) return points;
  const step = Date.parse(second.at) - Date.parse(first.at);
  if (step > FIVE_MINUTES) return points;
  const finished = points.filter(({ at }) => Date.parse(at) + step <= now);
  return finished.length === 0 ? points : finished;
}
