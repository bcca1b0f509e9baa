import { WorkerListView } from "../../api/worker.js";
import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import { covers } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { workerView } from "../views/worker.js";

export function workerRoutes(app: App, { context }: Services): void {
  app.get(
    "/v1/workers",
    {
      schema: {
        operationId: "listWorkers",
        summary: "Workers that were heard of lately.",
        tags: ["workers"],
        response: { 200: WorkerListView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const workers = await context.store.workers.list(WORKER_TIMEOUT_MS);
      const visible = workers.map((worker) => {
        const queues = worker.queues.filter((queue) => covers(request, queue));
        // Nobody knows which of the names are for which queue.
        const names = queues.length === worker.queues.length ? worker.names : [];
        return { ...worker, queues, names };
      });
      return { items: visible.filter(({ queues }) => queues.length > 0).map(workerView) };
    },
  );
}
