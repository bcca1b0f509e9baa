import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { lasting } from "../words.js";

type ScheduleOverdue = FindingOf<"schedule_overdue", { schedule: string; queue: string; overdueMs: number }>;

/** A slot is due and nobody fires it: no process runs the background loops. */
export function scheduleOverdue({ now, dueSchedules }: Facts): ScheduleOverdue[] {
  return dueSchedules.flatMap(({ key, job: { queue }, next }) => {
    const overdueMs = next === null ? 0 : now - next.at;
    if (next === null || overdueMs <= THRESHOLDS.overdueMs) return [];
    return {
      code: "schedule_overdue",
      severity: "critical",
      since: next.at,
      detail: `The schedule ${key} does not fire: its slot was due ${lasting(overdueMs)} ago.`,
      audience: { queues: [queue] },
      schedule: key,
      queue,
      overdueMs,
    };
  });
}
