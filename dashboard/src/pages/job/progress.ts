import type { JobDetailView } from "../../api/types.js";

/** Whether a run that still goes on has said it. The job keeps what an earlier one has said. */
export function isOfPresentRun(
  { state, startedAt }: Pick<JobDetailView, "state" | "startedAt">,
  { at }: { readonly at: string },
): boolean {
  return state === "running" && startedAt !== null && Date.parse(at) >= Date.parse(startedAt);
}
