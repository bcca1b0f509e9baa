import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { counted, lasting } from "../words.js";

type QueuePaused = FindingOf<
  "queue_paused_with_backlog",
  { queue: string; count: number; reason: string | null }
>;

/** A queue is paused and jobs wait in it. */
export function queuePaused({ now, queues }: Facts): QueuePaused[] {
  return queues
    .flatMap(({ name, pausedAt, pauseReason, counts }) => {
      if (pausedAt === null || counts.pending === 0) return [];
      const pausedMs = now - pausedAt;
      const jobs = counted(counts.pending, "job");
      return {
        code: "queue_paused_with_backlog" as const,
        severity: pausedMs > THRESHOLDS.pausedTooLongMs ? ("warning" as const) : ("info" as const),
        since: pausedAt,
        detail: `The queue ${name} is paused for ${lasting(pausedMs)}: ${jobs} pending.`,
        audience: { queues: [name] },
        queue: name,
        count: counts.pending,
        reason: pauseReason,
      };
    })
    .sort((a, b) => b.count - a.count);
}
