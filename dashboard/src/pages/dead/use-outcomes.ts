import { useQueryClient } from "@tanstack/react-query";
import type { Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { JobPageView, JobView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { outcomeOf, type Outcome, type RetriedJob } from "./outcome.js";

type Outcomes = ReadonlyMap<string, Outcome>;

const NONE: Outcomes = new Map();

/** A job that is followed. */
export interface Followed extends RetriedJob {
  /** Whether it may be that the retry, which is over, has not touched it. */
  readonly mayBeUntouched: boolean;
}

/**
 * What becomes of jobs that were retried, by id, in one request.
 *
 * @param by what has retried them: what was read after another retry says nothing about this one
 * @param jobs few enough for one filter
 * @param isEnd whether nothing more is expected of a job; of all of them: they are not read again
 */
export function useOutcomes(
  by: string,
  jobs: readonly Followed[],
  isEnd: (outcome: Outcome) => boolean,
): { readonly outcomes: Outcomes; readonly error: Problem | null } {
  const key = ["outcomes", by, jobs];
  const known = useQueryClient().getQueryData<Outcomes>(key);
  const ended = known !== undefined && [...known.values()].every(isEnd);
  const { data, error } = useLiveQuery(
    key,
    async (signal) => {
      const q = `id:${jobs.map(({ id }) => id).join(",")}`;
      const { items } = await read<JobPageView>("/v1/jobs", { q, limit: jobs.length }, signal);
      return outcomesOf(jobs, new Map(items.map((job) => [job.id, job])));
    },
    ended ? null : { topics: ["jobs"] },
    jobs.length > 0,
  );
  return { outcomes: jobs.length === 0 ? NONE : (data ?? NONE), error };
}

function outcomesOf(jobs: readonly Followed[], now: ReadonlyMap<string, JobView>): Outcomes {
  return new Map(
    jobs.map(({ id, token, mayBeUntouched }) => [id, outcomeOf(token, now.get(id) ?? null, mayBeUntouched)]),
  );
}
