import type { QueueDetailView, QueueView } from "../../api/queue.js";
import type { ListView, ThingView } from "../output/output.js";
import type { Column } from "../output/table.js";
import { durationText, instantText } from "../output/time-text.js";

type State = keyof QueueView["counts"];

export function queueList(now: number): ListView<QueueView> {
  return { id: ({ name }) => name, empty: "There are no queues yet.", columns: queueColumns(now) };
}

function queueColumns(now: number): Column<QueueView>[] {
  return [
    { title: "QUEUE", text: ({ name }) => name, least: 10 },
    countColumn("PENDING", "pending"),
    countColumn("RUNNING", "running"),
    countColumn("SCHEDULED", "scheduled"),
    { ...countColumn("DEAD", "dead"), style: ({ counts }) => (counts.dead > 0 ? "red" : null) },
    {
      title: "OLDEST",
      text: ({ oldestPendingAt }) =>
        oldestPendingAt === null ? "" : durationText(Math.max(0, now - Date.parse(oldestPendingAt))),
      align: "right",
    },
    { title: "LIMIT", text: limitText, align: "right" },
    { title: "PAUSED", text: pausedText, least: 6, style: () => "yellow" },
  ];
}

function countColumn(title: string, state: State): Column<QueueView> {
  return { title, text: ({ counts }) => String(counts[state]), align: "right" };
}

function limitText({ maxLength }: QueueView): string {
  return maxLength === null ? "" : String(maxLength);
}

function pausedText({ pausedAt, pauseReason }: QueueView): string {
  return pausedAt === null ? "" : (pauseReason ?? "yes");
}

export function queueDetail(now: number): ThingView<QueueView & Partial<Pick<QueueDetailView, "unhandled">>> {
  return {
    id: ({ name }) => name,
    fields: ({ name, counts, oldestPendingAt, pausedAt, pauseReason, maxLength, onFull, unhandled = [] }) => [
      ["name", name],
      ...Object.entries(counts).map(([state, count]) => [state, String(count)] as const),
      ["oldest pending", instantText(oldestPendingAt, now)],
      ["maximum length", maxLength === null ? null : `${maxLength}, when full: ${onFull}`],
      ["paused", instantText(pausedAt, now)],
      ["pause reason", pauseReason],
      [
        "no worker for",
        unhandled.length === 0
          ? null
          : unhandled.map((entry) => `${entry.name} (${entry.pending})`).join(", "),
      ],
    ],
  };
}
