import { QueryCache, QueryClient } from "@tanstack/react-query";
import { asProblem } from "./api/problem.js";

/** Under it stands whose token the answers were given to. */
export const SELF_KEY = ["self"] as const;

/** Why what has no answer yet could not be read when that was tried last. */
const failures = new WeakMap<object, unknown>();

export function lastFailure(client: QueryClient, queryKey: readonly unknown[]): unknown {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  return query === undefined ? undefined : failures.get(query);
}

/** Reads nothing by itself: what becomes old is known from the live stream, and a refusal is not asked again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => failures.set(query, error),
    }),
    defaultOptions: {
      queries: {
        // With 0 it would look at the wall clock, and call everything fresh after that has stepped back.
        staleTime: -Infinity,
        gcTime: 300_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: "always",
        retry: (failures, error) => failures < 2 && [0, 502, 503, 504].includes(asProblem(error).status),
        retryDelay: (failures) => 500 * 2 ** failures,
      },
      mutations: { networkMode: "always" },
    },
  });
}
