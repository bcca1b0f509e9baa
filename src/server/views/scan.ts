import type { JobPageView } from "../../api/job-list.js";
import { formatInstant } from "../../core/instant.js";
import type { JobScan } from "../../store/jobs.js";

export function scanView(scan: JobScan | null): JobPageView["scan"] {
  if (scan === null) return null;
  const { examined, until, complete } = scan;
  return { examined, until: until === null ? null : formatInstant(until), complete };
}
