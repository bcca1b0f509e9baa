import { unhandledOf } from "../../unhandled.js";
import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { counted } from "../words.js";

type NoWorker = FindingOf<"no_worker", { queue: string; name: string | null; count: number }>;

/** Pending jobs that no live worker serves: all of a queue (`name` is `null`), or those of some names. */
export function noWorker(facts: Facts): NoWorker[] {
  const { queues, pending, workers } = facts;
  const unhandled = unhandledOf(pending, workers);
  return queues
    .filter(({ pausedAt }) => pausedAt === null)
    .flatMap((queue): NoWorker[] => {
      const own = unhandled.filter((entry) => entry.queue === queue.name);
      if (own.length === 0) return [];
      const isServed = workers.some((worker) => worker.queues.includes(queue.name));
      if (!isServed) return [queueWithoutWorker(facts, queue)];
      return own.map(({ name, pending: count }) => ({
        code: "no_worker",
        severity: "warning",
        since: null,
        detail: `No worker serves ${name} in the queue ${queue.name}: ${counted(count, "job")} pending.`,
        audience: { queues: [queue.name] },
        queue: queue.name,
        name,
        count,
      }));
    })
    .sort((a, b) => b.count - a.count);
}

function queueWithoutWorker(
  { now }: Facts,
  { name, counts, oldestPendingAt }: Facts["queues"][number],
): NoWorker {
  const waitMs = oldestPendingAt === null ? 0 : now - oldestPendingAt;
  return {
    code: "no_worker",
    // While workers are replaced there may be none for a moment.
    severity: waitMs > THRESHOLDS.withoutWorkerMs ? "critical" : "warning",
    since: oldestPendingAt,
    detail: `No worker serves the queue ${name}: ${counted(counts.pending, "job")} pending.`,
    audience: { queues: [name] },
    queue: name,
    name: null,
    count: counts.pending,
  };
}
