import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";

type Failing = FindingOf<"failing", { queue: string; name: string; attempts: number; failed: number }>;

/** Most attempts of a name failed, timed out or were lost in the last 15 minutes. */
export function failing({ recent }: Facts): Failing[] {
  return recent
    .flatMap(({ queue, name, events: { completed, failed } }) => {
      const attempts = completed + failed;
      if (queue === null || name === null || attempts < THRESHOLDS.attempts) return [];
      const ratio = failed / attempts;
      if (ratio <= THRESHOLDS.failureRatio) return [];
      const share = `${Math.round(ratio * 100)} % of the ${attempts} attempts`;
      return {
        code: "failing" as const,
        severity: "warning" as const,
        since: null,
        detail: `${name} jobs of the queue ${queue} fail: ${share} of the last 15 minutes.`,
        audience: { queues: [queue] },
        queue,
        name,
        attempts,
        failed,
      };
    })
    .sort((a, b) => b.failed - a.failed);
}
