import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Problem } from "../../api/problem.js";
import { readText, readTextStart } from "../../api/request.js";

const KIB = 1_024;

/** How a stored text of some size is shown: what takes long to lay out is shown plainly, and not all of it. */
export const SIZES = { pretty: 64 * KIB, whole: 256 * KIB, start: 64 * KIB } as const;

/**
 * The stored text, or its beginning where it is large. It is read once.
 *
 * @param version differs where the text at the same address may be another one
 */
export function useStoredText(path: string, bytes: number, version: string): UseQueryResult<string, Problem> {
  return useQuery<string, Problem>({
    queryKey: ["stored text", path, bytes, version],
    queryFn: ({ signal }) =>
      bytes <= SIZES.whole ? readText(path, signal) : readTextStart(path, SIZES.start, signal),
    staleTime: Infinity,
  });
}
