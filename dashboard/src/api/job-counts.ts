import type { UseQueryResult } from "@tanstack/react-query";
import { useLiveQuery } from "../live/use-live-query.js";
import type { Problem } from "./problem.js";
import { read } from "./request.js";
import type { JobState } from "./types.js";

export interface StateCount {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly capped: boolean;
}

export interface JobCountsView {
  readonly states: Readonly<Partial<Record<JobState, StateCount>>>;
}

/** How many jobs of each state a filter matches. */
export function readJobCounts(q: string, signal?: AbortSignal): Promise<JobCountsView> {
  return read<JobCountsView>("/v1/jobs/counts", { q }, signal);
}

export function useJobCounts(q: string): UseQueryResult<JobCountsView, Problem> {
  return useLiveQuery(["job-counts", q], (signal) => readJobCounts(q, signal), {
    topics: ["jobs"],
    everyMs: 2_000,
  });
}

export function sumOf(counts: readonly (StateCount | undefined)[]): StateCount {
  return {
    count: counts.reduce((sum, each) => sum + (each?.count ?? 0), 0),
    capped: counts.some((each) => each?.capped === true),
  };
}
