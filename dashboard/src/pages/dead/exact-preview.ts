import { sumOf } from "../../api/job-counts.js";
import type { PreviewedBulk } from "../../ui/bulk-target.js";

/** The preview with the exact number of its jobs, where it stopped counting and others did not. */
export function exactly(previewed: PreviewedBulk): PreviewedBulk {
  const { preview, states, errors } = previewed;
  if (!preview.capped) return previewed;
  const byState = sumOf(Object.values(states));
  const byError = errors?.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const matched = byState.capped ? byError : byState.count;
  if (matched < preview.matched) return previewed;
  return {
    ...previewed,
    preview: { ...preview, matched, capped: false },
    states: { dead: { count: matched, capped: false } },
  };
}
