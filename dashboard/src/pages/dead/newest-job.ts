import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { read } from "../../api/request.js";
import type { DeadGroupView, JobDetailView } from "../../api/types.js";
import { diedForGood } from "../../ui/died-for-good.js";

/** What stands in a group's message where its jobs differ. */
const PLACEHOLDER = /(<[a-z]+>)/;

/** @returns the texts between the placeholders at even places, the placeholders at odd ones */
export function messageParts(message: string): readonly string[] {
  return message.split(PLACEHOLDER);
}

/** What the job of a group that died last tells of them. */
export interface NewestJob {
  /** The first line of its error, as it was. `null`: the message of the group says as much. */
  readonly message: string | null;
  /** Whether it had attempts left. */
  readonly diedForGood: boolean;
}

/**
 * It is read once for each job: a dead job keeps its error. `null`: not known.
 *
 * @param wanted whether the reader sees the group
 */
export function useNewestJob(group: DeadGroupView, wanted: boolean): NewestJob | null {
  const { latestJobId, message, type } = group;
  const { data } = useQuery({
    queryKey: ["newest dead job", latestJobId],
    queryFn: async ({ signal }) => {
      const job = await read<JobDetailView>(`/v1/jobs/${encodeURIComponent(latestJobId ?? "")}`, {}, signal);
      return job.state === "dead" ? { error: job.lastError, diedForGood: diedForGood(job) } : null;
    },
    enabled: wanted && latestJobId !== null,
    staleTime: Infinity,
    retry: false,
    // Another job that has died is no reason to show less for a moment.
    placeholderData: keepPreviousData,
  });
  if (data?.error?.type !== type) return null;
  const [line = ""] = data.error.message.split("\n", 1);
  return {
    message: PLACEHOLDER.test(message) ? line.trim() : null,
    diedForGood: data.diedForGood,
  };
}
