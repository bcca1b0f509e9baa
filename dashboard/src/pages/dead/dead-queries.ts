import type { UseQueryResult } from "@tanstack/react-query";
import { asProblem, type Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { DeadGroupListView, JobPageView, OperationView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";

export type DeadSort = "count" | "latest";

/** Which groups are shown. Empty texts: all. */
export interface DeadFilter {
  readonly queue: string;
  readonly name: string;
  readonly sort: DeadSort;
}

export function deadFilterOf(parameters: URLSearchParams): DeadFilter {
  return {
    queue: parameters.get("queue") ?? "",
    name: parameters.get("name") ?? "",
    sort: parameters.get("sort") === "latest" ? "latest" : "count",
  };
}

/** `null`: a server that does not group. */
export function useDeadGroups(
  filter: DeadFilter,
  limit: number,
): UseQueryResult<DeadGroupListView | null, Problem> {
  return useLiveQuery(
    ["dead groups", filter, limit],
    (signal) =>
      read<DeadGroupListView>("/v1/dead/groups", { ...filter, limit }, signal).catch((error: unknown) => {
        if (asProblem(error).status === 404) return null;
        throw error;
      }),
    { topics: ["jobs"] },
  );
}

/** The jobs that died last. */
export function useDeadJobs({ queue, name }: DeadFilter): UseQueryResult<JobPageView, Problem> {
  return useLiveQuery(
    ["dead jobs", queue, name],
    (signal) => read<JobPageView>("/v1/jobs", { state: "dead", queue, name, limit: 50 }, signal),
    { topics: ["jobs"], everyMs: 2_000 },
  );
}

/** A bulk operation until it has ended. */
export function useOperation(started: OperationView, ended: boolean): UseQueryResult<OperationView, Problem> {
  return useLiveQuery(
    ["operation", started.id],
    (signal) => read<OperationView>(`/v1/operations/${encodeURIComponent(started.id)}`, {}, signal),
    ended ? null : { topics: ["operations", "jobs"] },
  );
}
