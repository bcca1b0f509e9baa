import type { QueueView } from "../../api/queue.js";
import type { Queue } from "../../store/queues.js";
import { instantOrNull } from "./job.js";

export function queueView(queue: Queue): QueueView {
  return {
    name: queue.name,
    pausedAt: instantOrNull(queue.pausedAt),
    pauseReason: queue.pauseReason,
    counts: { ...queue.counts },
    oldestPendingAt: instantOrNull(queue.oldestPendingAt),
    concurrency: queue.concurrency,
    rateLimit: queue.rateLimit,
    perKey: { ...queue.perKey },
    ageingMs: queue.ageingMs,
    maxLength: queue.maxLength,
    onFull: queue.onFull,
    heldUntil: instantOrNull(queue.heldUntil),
    version: queue.version,
  };
}
