import { read } from "../../api/request.js";
import type { QueueLinesView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";

export type QueueLine = QueueLinesView["items"][number];

/** What happened in each queue in the last hour, by minutes. Queues in which nothing did are left out. */
export function useQueueLines(): ReadonlyMap<string, QueueLine> {
  const { data } = useLiveQuery(
    ["queue-lines"],
    (signal) => read<QueueLinesView>("/v1/stats/queues", {}, signal),
    { topics: ["jobs", "queues"], everyMs: 10_000 },
  );
  return new Map(data?.items.map((line) => [line.queue, line]));
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
