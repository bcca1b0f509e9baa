import type { ActivityView } from "../../api/stats.js";
import type { QueueView } from "../../api/queue.js";
import type { Column } from "../output/table.js";
import { durationText } from "../output/time-text.js";

type QueueFigures = Pick<QueueView, "name" | "pausedAt" | "pauseReason" | "counts" | "oldestPendingAt"> & {
  readonly lastHour: ActivityView;
};

/** The queues as they are, then what happened in the last hour. */
export function statsColumns(now: number): Column<QueueFigures>[] {
  const figure = (title: string, of: (queue: QueueFigures) => number): Column<QueueFigures> => ({
    title,
    text: (queue) => String(of(queue)),
    align: "right",
  });
  return [
    { title: "QUEUE", text: ({ name }) => name, least: 8 },
    figure("PENDING", ({ counts }) => counts.pending),
    figure("RUNNING", ({ counts }) => counts.running),
    figure("DEAD", ({ counts }) => counts.dead),
    {
      title: "OLDEST",
      text: ({ oldestPendingAt }) =>
        oldestPendingAt === null ? "" : durationText(Math.max(0, now - Date.parse(oldestPendingAt))),
      align: "right",
    },
    figure("ENQUEUED", ({ lastHour }) => lastHour.enqueued),
    figure("COMPLETED", ({ lastHour }) => lastHour.jobs.completed),
    figure(
      "FAILED",
      ({ lastHour }) => lastHour.attempts.failed + lastHour.attempts.timedOut + lastHour.attempts.lost,
    ),
    figure("DIED", ({ lastHour }) => lastHour.jobs.dead),
  ];
}
