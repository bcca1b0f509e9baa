import type { WorkerView } from "../../api/worker.js";
import type { ListView } from "../output/output.js";
import { relative } from "../output/time-text.js";

export function workerList(now: number): ListView<WorkerView> {
  return {
    id: ({ id }) => id,
    empty: "No worker was heard of lately.",
    columns: [
      { title: "ID", text: ({ id }) => id, least: 14 },
      { title: "STATE", text: ({ state }) => state },
      { title: "BUSY", text: ({ running, concurrency }) => `${running}/${concurrency}`, align: "right" },
      { title: "QUEUES", text: ({ queues }) => queues.join(","), least: 8 },
      { title: "JOBS", text: ({ names }) => names?.join(",") ?? "all", least: 8 },
      { title: "STARTED", text: ({ startedAt }) => relative(startedAt, now), align: "right" },
      { title: "SEEN", text: ({ seenAt }) => relative(seenAt, now), align: "right" },
    ],
  };
}
