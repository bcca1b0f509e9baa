import { Type } from "typebox";
import { requireAllQueues } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** For Prometheus. */
export function metricsRoute(app: App, { heavyReads, metrics }: Services): void {
  app.get(
    "/metrics",
    {
      schema: {
        operationId: "getMetrics",
        summary: "Metrics for Prometheus.",
        tags: ["stats"],
        produces: ["text/plain"],
        response: { 200: Type.String() },
      },
      config: { access: "metrics", accessLog: false },
    },
    async (request, reply) => {
      requireAllQueues(request);
      const text = await heavyReads.once("metrics", () => metrics.text());
      return reply.type(CONTENT_TYPE).send(text as unknown as string);
    },
  );
}
