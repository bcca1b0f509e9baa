import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { counted, lasting } from "../words.js";

type QueueStalled = FindingOf<"queue_stalled", { queue: string; count: number; ageMs: number }>;

/** Jobs could have been claimed for long, and nobody does. */
export function queueStalled({ now, queues }: Facts): QueueStalled[] {
  return queues
    .flatMap(({ name, pausedAt, oldestPendingAt, counts }) => {
      const ageMs = oldestPendingAt === null ? 0 : now - oldestPendingAt;
      if (pausedAt !== null || ageMs <= THRESHOLDS.stalledMs) return [];
      const jobs = counted(counts.pending, "job");
      return {
        code: "queue_stalled" as const,
        severity: "critical" as const,
        since: oldestPendingAt,
        detail: `The queue ${name} is stalled: of ${jobs} pending, the oldest waits for ${lasting(ageMs)}.`,
        audience: { queues: [name] },
        queue: name,
        count: counts.pending,
        ageMs,
      };
    })
    .sort((a, b) => b.ageMs - a.ageMs);
}
