import { useQueryClient } from "@tanstack/react-query";
import { read } from "../../api/request.js";
import type { JobPageView, JobView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { isFinal, isSettled, outcomeOf, type Outcome, type RetriedJob } from "./outcome.js";

export type Outcomes = ReadonlyMap<string, Outcome>;

const NONE: Outcomes = new Map();

/**
 * What becomes of jobs that were retried, by id, in one request.
 *
 * @param jobs few enough for one filter
 * @param until `run`: each has been run once; `final`: nothing more can become of them, after a retry that is over
 */
export function useOutcomes(jobs: readonly RetriedJob[], until: "run" | "final"): Outcomes {
  const key = ["outcomes", jobs, until];
  const known = useQueryClient().getQueryData<Outcomes>(key);
  const ended = known !== undefined && [...known.values()].every(until === "run" ? isSettled : isFinal);
  const { data } = useLiveQuery(
    key,
    async (signal) => {
      const q = `id:${jobs.map(({ id }) => id).join(",")}`;
      const { items } = await read<JobPageView>("/v1/jobs", { q, limit: jobs.length }, signal);
      const now = new Map(items.map((job) => [job.id, job]));
      return outcomesOf(jobs, now, until === "final");
    },
    ended ? null : { topics: ["jobs"] },
    jobs.length > 0,
  );
  return jobs.length === 0 ? NONE : (data ?? NONE);
}

function outcomesOf(
  jobs: readonly RetriedJob[],
  now: ReadonlyMap<string, JobView>,
  retryIsOver: boolean,
): Outcomes {
  return new Map(
    jobs.map(({ id, token }) => [id, outcomeOf(token, now.get(id) ?? null, retryIsOver)] as const),
  );
}
