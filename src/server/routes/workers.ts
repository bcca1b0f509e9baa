import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { workerView } from "../views/worker.js";

export function workerRoutes(app: App, { context }: Services): void {
  app.get("/v1/workers", async () => {
    const workers = await context.store.workers.list(WORKER_TIMEOUT_MS);
    return { items: workers.map(workerView) };
  });
}
