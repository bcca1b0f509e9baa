import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { counted } from "../words.js";

const DAY_HOURS = 24;

type DeadRecently = FindingOf<
  "dead_recently",
  { queue: string; name: string; count: number; perHourBefore: number }
>;

/** Jobs ran out of attempts, or failed for good, in the last hour. */
export function deadRecently({ lastHour, dayBefore }: Facts): DeadRecently[] {
  return lastHour
    .flatMap(({ queue, name, events: { dead } }) => {
      if (dead === 0 || queue === null || name === null) return [];
      const before = dayBefore.find((sum) => sum.queue === queue && sum.name === name)?.events.dead ?? 0;
      const perHourBefore = before / DAY_HOURS;
      const jobs = counted(dead, `${name} job`);
      const compared = before === 0 ? "none" : `${perHourBefore.toFixed(1)} an hour`;
      return {
        code: "dead_recently" as const,
        severity: "warning" as const,
        since: null,
        detail: `${jobs} of the queue ${queue} became dead in the last hour; in the day before, ${compared}.`,
        audience: { queues: [queue] },
        queue,
        name,
        count: dead,
        perHourBefore,
      };
    })
    .sort((a, b) => b.count - a.count);
}
