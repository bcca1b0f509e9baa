import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { counted } from "../words.js";

type LeasesLost = FindingOf<"leases_lost", { queue: string; count: number }>;

/** Leases ended without a word from the worker in the last 15 minutes: it crashed, was blocked or cut off. */
export function leasesLost({ recent }: Facts): LeasesLost[] {
  const lost = new Map<string, number>();
  for (const { queue, events } of recent) {
    if (queue !== null && events.lost > 0) lost.set(queue, (lost.get(queue) ?? 0) + events.lost);
  }
  return [...lost]
    .map(([queue, count]) => ({
      code: "leases_lost" as const,
      severity: count > THRESHOLDS.leasesLost ? ("warning" as const) : ("info" as const),
      since: null,
      detail: `Workers of the queue ${queue} vanished while they ran jobs: ${counted(count, "lease")} lost in the last 15 minutes.`,
      audience: { queues: [queue] },
      queue,
      count,
    }))
    .sort((a, b) => b.count - a.count);
}
