import { MAX_PRIORITY } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";

/** A pending job, as far as its place in the line depends on it. */
export interface Candidate {
  readonly id: number;
  readonly priority: number;
  readonly run_at: Instant;
}

/** Highest priority first, then the oldest `run_at`, then the order of insertion; priorities grow with the time of waiting. */
export function inAgeingOrder(now: Instant, ageingMs: number | null): (a: Candidate, b: Candidate) => number {
  const priorityOf = ({ priority, run_at }: Candidate) =>
    ageingMs === null
      ? priority
      : Math.min(MAX_PRIORITY, priority + Math.floor(Math.max(0, now - run_at) / ageingMs));
  return (a, b) => priorityOf(b) - priorityOf(a) || a.run_at - b.run_at || a.id - b.id;
}
