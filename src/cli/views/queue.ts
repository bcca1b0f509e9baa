import type { QueueDetailView, QueueView } from "../../api/queue.js";
import type { ListView, ThingView } from "../output/output.js";
import type { Column } from "../output/table.js";
import { durationText, exactDuration, instantText } from "../output/time-text.js";

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
    { title: "LIMITS", text: limitsText, least: 6 },
    { title: "PAUSED", text: pausedText, least: 6, style: () => "yellow" },
  ];
}

function countColumn(title: string, state: State): Column<QueueView> {
  return { title, text: ({ counts }) => String(counts[state]), align: "right" };
}

/** The limits of the queue; those per key are in its details. */
function limitsText({ concurrency, rateLimit, maxLength }: QueueView): string {
  const texts = [
    concurrency === null ? null : `${concurrency} at once`,
    rateText(rateLimit),
    maxLength === null ? null : `${maxLength} waiting`,
  ];
  return texts.filter((text) => text !== null).join(", ");
}

function numberText(number: number | null): string | null {
  return number === null ? null : String(number);
}

function rateText(rate: QueueView["rateLimit"]): string | null {
  return rate === null ? null : `${rate.max}/${exactDuration(rate.perMs)}`;
}

function pausedText({ pausedAt, pauseReason }: QueueView): string {
  return pausedAt === null ? "" : (pauseReason ?? "yes");
}

export function queueDetail(now: number): ThingView<QueueView & Partial<Pick<QueueDetailView, "unhandled">>> {
  return {
    id: ({ name }) => name,
    fields: ({ name, counts, oldestPendingAt, pausedAt, pauseReason, unhandled = [], ...limits }) => [
      ["name", name],
      ...Object.entries(counts).map(([state, count]) => [state, String(count)] as const),
      ["oldest pending", instantText(oldestPendingAt, now)],
      ["paused", instantText(pausedAt, now)],
      ["pause reason", pauseReason],
      ["concurrency", numberText(limits.concurrency)],
      ["rate", rateText(limits.rateLimit)],
      ["concurrency per key", numberText(limits.perKey.concurrency)],
      ["rate per key", rateText(limits.perKey.rateLimit)],
      ["ageing", limits.ageingMs === null ? null : exactDuration(limits.ageingMs)],
      [
        "maximum length",
        limits.maxLength === null ? null : `${limits.maxLength}, when full: ${limits.onFull}`,
      ],
      ["held until", instantText(limits.heldUntil, now)],
      [
        "no worker for",
        unhandled.length === 0
          ? null
          : unhandled.map((entry) => `${entry.name} (${entry.pending})`).join(", "),
      ],
    ],
  };
}
