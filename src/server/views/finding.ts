import type { FindingView } from "../../api/finding.js";
import type { Finding } from "../../engine/findings/findings.js";
import { instantOrNull } from "./job.js";

// eslint-disable-next-line @typescript-eslint/no-unused-vars -- who may see it is not told
export function findingView({ audience, since, ...finding }: Finding): FindingView {
  return { ...finding, since: instantOrNull(since) };
}
