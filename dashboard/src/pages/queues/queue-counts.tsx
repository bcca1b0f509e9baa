import type { ReactNode } from "react";
import { Link } from "wouter";
import type { JobState, QueueDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath } from "../../shell/routes.js";
import { Age } from "../../ui/time.js";

/** Blocked jobs are shown only where there are some: most queues never have one. */
const ALWAYS_SHOWN: readonly JobState[] = [
  "pending",
  "running",
  "scheduled",
  "completed",
  "dead",
  "cancelled",
];

/** How many jobs of a queue are in each state. Each number is a link to its jobs. */
export function QueueCounts({
  queue: { name, counts, oldestPendingAt },
}: {
  readonly queue: QueueDetailView;
}): ReactNode {
  const { t, rich, format } = useTexts();
  const shown = counts.blocked > 0 ? (["blocked", ...ALWAYS_SHOWN] as const) : ALWAYS_SHOWN;
  return (
    <div className="tiles queue-counts">
      {shown.map((state) => (
        <Link key={state} href={jobsPath(`queue:${filterValue(name)}`, state)} className="tile card">
          <span className="tile-title">{t(`jobs.tab.${state}`)}</span>
          <span className="tile-value" title={format.number(counts[state])}>
            {format.compact(counts[state])}
          </span>
          {state === "pending" && oldestPendingAt !== null && (
            <span className="tile-note">
              {rich("overview.oldest", { age: <Age since={oldestPendingAt} /> })}
            </span>
          )}
        </Link>
      ))}
    </div>
  );
}
