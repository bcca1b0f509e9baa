import type { UseQueryResult } from "@tanstack/react-query";
import { useLiveQuery } from "../live/use-live-query.js";
import { SELF_KEY } from "../query-client.js";
import type { Problem } from "./problem.js";
import { read } from "./request.js";
import type { Capability, InfoView, QueueView, SelfView, WorkerView } from "./types.js";

/** Who this browser is signed in as, and what that allows. */
export function useSelf(): UseQueryResult<SelfView, Problem> {
  return useLiveQuery(SELF_KEY, (signal) => read<SelfView>("/v1/tokens/self", {}, signal), {
    topics: ["tokens"],
    everyMs: 30_000,
  });
}

export function useQueuesQuery(): UseQueryResult<{ readonly items: readonly QueueView[] }, Problem> {
  return useLiveQuery(["queues"], (signal) => read<{ items: QueueView[] }>("/v1/queues", {}, signal), {
    topics: ["queues"],
  });
}

export function useWorkersQuery(): UseQueryResult<{ readonly items: readonly WorkerView[] }, Problem> {
  return useLiveQuery(["workers"], (signal) => read<{ items: WorkerView[] }>("/v1/workers", {}, signal), {
    topics: ["workers"],
    everyMs: 5_000,
  });
}

/** Whether the token may do something. Until that is known, the server will say. */
export function useAllowed(capability: Capability): boolean {
  const { data } = useSelf();
  return data === undefined || data.capabilities.includes(capability);
}

/** Whether the token covers some queues only: what is about all of them is then refused. `null`: not known yet. */
export function useIsLimited(): boolean | null {
  const { data } = useSelf();
  return data === undefined ? null : data.queues !== null;
}

/** What the server tells of itself. */
export function useInfo(): UseQueryResult<InfoView, Problem> {
  return useLiveQuery(["info"], (signal) => read<InfoView>("/v1/info", {}, signal), {
    topics: [],
    everyMs: 60_000,
  });
}
