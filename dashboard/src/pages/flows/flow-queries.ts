import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { FlowDetailView, FlowJobView, FlowState, FlowView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";

const FLOWS = 50;
/** As many as the server tells at once. */
const JOBS = 100;
/** Flows change with their jobs. */
const REFRESH = { topics: ["jobs"], everyMs: 2_000 } as const;

export interface FlowFilter {
  readonly state: FlowState | null;
  readonly name: string | null;
  readonly cursor: string | null;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export function useFlows({ state, name, cursor }: FlowFilter): UseQueryResult<Page<FlowView>, Problem> {
  return useLiveQuery(
    ["flows", state, name, cursor],
    (signal) => read<Page<FlowView>>("/v1/flows", { state, name, cursor, limit: FLOWS }, signal),
    REFRESH,
  );
}

export function useFlow(id: string): UseQueryResult<FlowDetailView, Problem> {
  return useLiveQuery(["flow", id], (signal) => read<FlowDetailView>(flowAddress(id), {}, signal), REFRESH);
}

export function useFlowJobs(id: string, cursor: string | null): UseQueryResult<Page<FlowJobView>, Problem> {
  return useLiveQuery(["flow-jobs", id, cursor], (signal) => readJobs(id, cursor, signal), REFRESH);
}

/** All jobs of a flow that has few. */
export function useAllFlowJobs(id: string): UseQueryResult<readonly FlowJobView[], Problem> {
  return useLiveQuery(
    ["flow-jobs", id, "all"],
    async (signal) => {
      const all: FlowJobView[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<FlowJobView> = await readJobs(id, cursor, signal);
        all.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return all;
    },
    REFRESH,
  );
}

function readJobs(id: string, cursor: string | null, signal: AbortSignal): Promise<Page<FlowJobView>> {
  return read<Page<FlowJobView>>(`${flowAddress(id)}/jobs`, { cursor, limit: JOBS }, signal);
}

/** Where the server has a flow, and what can be done with it. */
export function flowAddress(id: string): string {
  return `/v1/flows/${encodeURIComponent(id)}`;
}

/** Reads again what shows flows, after an action: who pressed the button sees at once what it did. */
export function useFlowsChanged(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    const shown = ["flows", "flow", "flow-jobs"];
    await client.invalidateQueries({ predicate: ({ queryKey }) => shown.includes(String(queryKey[0])) });
  }, [client]);
}
