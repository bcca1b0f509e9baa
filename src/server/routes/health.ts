import { HealthView } from "../../api/health.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";

const config = { access: "public", accessLog: false } as const;
const tags = ["server"];

/** For whoever starts and balances servers. No token, no details. */
export function healthRoutes(app: App, { readiness }: Services): void {
  app.get(
    "/healthz",
    {
      schema: {
        operationId: "getLiveness",
        summary: "Whether the process answers.",
        tags,
        response: { 200: HealthView },
      },
      config,
    },
    // Never asks the database: its trouble is no reason to restart every server.
    () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        summary: "Whether this server should be sent requests.",
        tags,
        response: { 200: HealthView, 503: HealthView },
      },
      config,
    },
    async (_request, reply) => {
      if (await readiness.ready()) return { status: "ok" as const };
      return reply.code(503).send({ status: "unavailable" });
    },
  );
}
