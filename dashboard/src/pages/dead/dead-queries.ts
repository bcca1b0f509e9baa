import type { UseQueryResult } from "@tanstack/react-query";
import { isName } from "../../../../src/core/names.js";
import { asProblem, type Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { DeadGroupListView, JobPageView, OperationView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";

export type DeadSort = "count" | "latest";

/** Which groups are shown: those of just this queue and name. Empty texts: all. */
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

/**
 * Whether there can be jobs of this queue and name: `*` is part of no name. It must not be asked for, because the filter
 * language takes it for a pattern.
 */
export function canMatch({ queue, name }: Pick<DeadFilter, "queue" | "name">): boolean {
  return [queue, name].every((text) => text === "" || isName(text));
}

const NO_GROUPS: DeadGroupListView = { items: [], more: false };
const NO_JOBS: JobPageView = { items: [], nextCursor: null, scan: null };

/** `null`: a server that does not group. */
export function useDeadGroups(
  filter: DeadFilter,
  limit: number,
): UseQueryResult<DeadGroupListView | null, Problem> {
  return useLiveQuery(
    ["dead groups", filter, limit],
    async (signal) => {
      if (!canMatch(filter)) return NO_GROUPS;
      try {
        return await read<DeadGroupListView>("/v1/dead/groups", { ...filter, limit }, signal);
      } catch (error) {
        if (asProblem(error).status === 404) return null;
        throw error;
      }
    },
    { topics: ["jobs"] },
  );
}

/** The jobs that died last. */
export function useDeadJobs({ queue, name }: DeadFilter): UseQueryResult<JobPageView, Problem> {
  return useLiveQuery(
    ["dead jobs", queue, name],
    async (signal) =>
      canMatch({ queue, name })
        ? read<JobPageView>("/v1/jobs", { state: "dead", queue, name, limit: 50 }, signal)
        : NO_JOBS,
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
