import { JOB_STATES, type JobState } from "../../core/states.js";
import type { JobCount, JobStateCounts } from "../jobs.js";
import type { LaneCounts } from "./lane-counts.js";

/** What the kept counters say. */
export function exactCounts(lanes: LaneCounts): JobStateCounts {
  return { states: ofEach((state) => ({ count: lanes.matchingOf(state), capped: false })), scan: null };
}

/** Counts of single states as one answer; states that were not counted have no jobs. */
export function stateCounts(counts: ReadonlyMap<JobState, JobCount>): JobStateCounts {
  const scans = [...counts.values()].map(({ scan }) => scan).filter((scan) => scan !== null);
  return {
    states: ofEach((state) => {
      const { count, capped, scan } = counts.get(state) ?? { count: 0, capped: false, scan: null };
      return { count, capped: capped || scan?.complete === false };
    }),
    scan:
      scans.length === 0
        ? null
        : {
            examined: scans.reduce((sum, { examined }) => sum + examined, 0),
            complete: scans.every(({ complete }) => complete),
          },
  };
}

function ofEach<T>(of: (state: JobState) => T): Record<JobState, T> {
  return Object.fromEntries(JOB_STATES.map((state) => [state, of(state)])) as Record<JobState, T>;
}
