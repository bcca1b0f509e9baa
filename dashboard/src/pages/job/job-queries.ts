import { useQueryClient, type QueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { MAX_LOG_LINES } from "../../../../src/core/defaults.js";
import type { Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { AttemptView, ExplanationView, JobDetailView, LogLineView, StepView } from "../../api/types.js";
import type { Refresh } from "../../live/refresher.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { asProblem } from "../../api/problem.js";

export const jobKey = (id: string) => ["job", id] as const;

const FINISHED_MS = 2_000;

export function isFinishedState(state: string): boolean {
  return state === "completed" || state === "dead" || state === "cancelled";
}

/** The job. One that has finished is followed too, but less often: somebody may retry or delete it. */
export function useJob(id: string): UseQueryResult<JobDetailView, Problem> {
  const client = useQueryClient();
  const known = client.getQueryData<JobDetailView>(jobKey(id));
  const query = useLiveQuery(
    jobKey(id),
    (signal) => read<JobDetailView>(jobAddress(id), {}, signal),
    known !== undefined && isFinishedState(known.state)
      ? { topics: ["jobs"], queue: known.queue, everyMs: FINISHED_MS }
      : refreshOf(known),
  );
  const state = query.data?.state;
  const token = query.data?.token;
  useEffect(() => {
    // What hangs on the job may have been read in the moment before it changed.
    if (state !== undefined) void client.invalidateQueries({ queryKey: [...jobKey(id), "of"] });
  }, [client, id, state, token]);
  return query;
}

export function useAttempts(job: JobDetailView): UseQueryResult<readonly AttemptView[], Problem> {
  return useLiveQuery(
    [...jobKey(job.id), "of", "attempts"],
    async (signal) =>
      (await read<{ items: AttemptView[] }>(`${jobAddress(job.id)}/attempts`, {}, signal)).items,
    refreshOf(job),
  );
}

/** Why it does not run; `null`: the server does not tell. Only for jobs that wait. */
export function useExplanation(job: JobDetailView): UseQueryResult<ExplanationView | null, Problem> {
  return useLiveQuery(
    [...jobKey(job.id), "of", "explanation"],
    (signal) => read<ExplanationView>(`${jobAddress(job.id)}/explain`, {}, signal).catch(nullWhereMissing),
    { topics: ["jobs", "queues", "workers"], everyMs: 2_000 },
  );
}

function nullWhereMissing(error: unknown): null {
  if (asProblem(error).status === 404) return null;
  throw error;
}

export function useSteps(job: JobDetailView): UseQueryResult<readonly StepView[], Problem> {
  return useLiveQuery(
    [...jobKey(job.id), "of", "steps"],
    async (signal) => (await read<{ items: StepView[] }>(`${jobAddress(job.id)}/steps`, {}, signal)).items,
    refreshOf(job),
  );
}

/** The log, whole: it is bounded. Lines never change, so only those behind the known ones are read. */
export function useLog(job: JobDetailView): UseQueryResult<readonly LogLineView[], Problem> {
  const client = useQueryClient();
  const key = [...jobKey(job.id), "of", "log"];
  return useLiveQuery(key, (signal) => allLines(client, key, job.id, signal), refreshOf(job));
}

async function allLines(
  client: QueryClient,
  key: readonly unknown[],
  id: string,
  signal: AbortSignal,
): Promise<readonly LogLineView[]> {
  const known = client.getQueryData<readonly LogLineView[]>(key) ?? [];
  const limit = MAX_LOG_LINES - known.length;
  if (limit <= 0) return known;
  const after = known.at(-1)?.seq ?? 0;
  const { items } = await read<{ items: LogLineView[] }>(`${jobAddress(id)}/logs`, { after, limit }, signal);
  return [...known, ...items];
}

export function jobAddress(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

/** For what hangs on the job: of a finished one it stays as it is until the job changes. */
function refreshOf(job: JobDetailView | undefined): Refresh | null {
  if (job === undefined) return { topics: ["jobs"] };
  return isFinishedState(job.state) ? null : { topics: ["jobs"], queue: job.queue };
}
