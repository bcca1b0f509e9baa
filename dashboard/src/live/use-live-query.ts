import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import type { Problem } from "../api/problem.js";
import { lastFailure } from "../query-client.js";
import { useLiveState } from "./live.js";
import type { Refresh } from "./refresher.js";

const UNAUTHORIZED = 401;
/** What was read may not be read any more, or is not there any more. */
const GONE: readonly (number | undefined)[] = [403, 404];

/**
 * Reads what a part of a page shows, and keeps it up to date: read again when the server says that one of its topics
 * changed. What was read before stays on the screen until the new answer is there, and also when that fails, unless it
 * says that this is not to be had any more.
 *
 * @param enabled whether it is wanted: nothing is read while it is not
 * @param refresh `null`: what was read stays as it is, such as that of a finished job
 */
export function useLiveQuery<Answer>(
  key: readonly unknown[],
  load: (signal: AbortSignal) => Promise<Answer>,
  refresh: Refresh | null,
  enabled = true,
): UseQueryResult<Answer, Problem> {
  const { paused } = useLiveState();
  const query = useQuery<Answer, Problem>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    enabled,
    ...(refresh === null ? {} : { meta: { refresh } }),
    placeholderData: keepPreviousData,
    refetchOnMount: !paused,
  });
  const client = useQueryClient();
  // While it is tried anew it still has no answer, and the reason stands: no grey lines come and go.
  const error = query.isLoading ? ((lastFailure(client, key) as Problem | undefined) ?? null) : query.error;
  return judged(error === query.error ? query : ({ ...query, error } as UseQueryResult<Answer, Problem>));
}

function judged<Answer>(query: UseQueryResult<Answer, Problem>): UseQueryResult<Answer, Problem> {
  const status = query.error?.status;
  if (GONE.includes(status)) return withoutData(query);
  return status === UNAUTHORIZED ? withoutError(query) : query;
}

/** Shows nothing of one thing while another is read: its numbers would stand under the other's name. */
export function withoutPrevious<Answer>(
  query: UseQueryResult<Answer, Problem>,
): UseQueryResult<Answer, Problem> {
  return query.isPlaceholderData ? withoutData(query) : query;
}

function withoutData<Answer>(query: UseQueryResult<Answer, Problem>): UseQueryResult<Answer, Problem> {
  return { ...query, data: undefined } as UseQueryResult<Answer, Problem>;
}

/** The sign-in dialog says it, and then everything is read again: until then it is still on its way. */
function withoutError<Answer>(query: UseQueryResult<Answer, Problem>): UseQueryResult<Answer, Problem> {
  return { ...query, error: null } as UseQueryResult<Answer, Problem>;
}
