import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { read } from "../../api/request.js";
import type { DeadGroupView, JobDetailView } from "../../api/types.js";

/** What stands in a group's message where its jobs differ. */
const PLACEHOLDER = /(<[a-z]+>)/;

/** @returns the texts between the placeholders at even places, the placeholders at odd ones */
export function messageParts(message: string): readonly string[] {
  return message.split(PLACEHOLDER);
}

/**
 * The first line of the error of the job that died last, as it was. `null`: it is not known, or the message of the
 * group says as much. It is read once for each job: a dead job keeps its error.
 *
 * @param wanted whether the reader sees the group
 */
export function useNewestMessage(group: DeadGroupView, wanted: boolean): string | null {
  const { latestJobId, message, type } = group;
  const { data } = useQuery({
    queryKey: ["newest message", latestJobId],
    queryFn: async ({ signal }) => {
      const job = await read<JobDetailView>(`/v1/jobs/${encodeURIComponent(latestJobId ?? "")}`, {}, signal);
      return job.state === "dead" ? job.lastError : null;
    },
    enabled: wanted && latestJobId !== null && PLACEHOLDER.test(message),
    staleTime: Infinity,
    retry: false,
    // Another job that has died is no reason to show less for a moment.
    placeholderData: keepPreviousData,
  });
  if (data?.type !== type) return null;
  return data.message.split("\n", 1)[0]?.trim() ?? null;
}
