import type { App } from "../app.js";
import type { Services } from "../services.js";

const config = { access: "public", accessLog: false } as const;

/** For whoever starts and balances servers. No token, no details. */
export function healthRoutes(app: App, { readiness }: Services): void {
  // Never asks the database: its trouble is no reason to restart every server.
  app.get("/healthz", { config }, () => ({ status: "ok" }));

  app.get("/readyz", { config }, async (_request, reply) => {
    if (await readiness.ready()) return { status: "ok" };
    return reply.code(503).send({ status: "unavailable" });
  });
}
