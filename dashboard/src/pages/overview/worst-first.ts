import type { OverviewView } from "../../api/types.js";

type Queue = OverviewView["queues"][number];

/** The queues where something waits, is dead or is paused: first where it has waited longest, then where most died. */
export function worstFirst(queues: readonly Queue[]): readonly Queue[] {
  return queues
    .filter(({ counts, pausedAt }) => counts.pending > 0 || counts.dead > 0 || pausedAt !== null)
    .sort(
      (a, b) =>
        Math.sign(waitsSince(a) - waitsSince(b)) ||
        b.lastHour.jobs.dead - a.lastHour.jobs.dead ||
        b.counts.dead - a.counts.dead ||
        a.name.localeCompare(b.name),
    );
}

/** Finite, so that two queues in which nothing waits are equal. */
function waitsSince({ oldestPendingAt }: Queue): number {
  return oldestPendingAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(oldestPendingAt);
}
