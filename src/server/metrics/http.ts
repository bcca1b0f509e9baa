import { KonveierError } from "../../core/errors.js";
import type { App } from "../app.js";
import { FENCED_OPERATIONS, type FencedOperation, type ProcessMetrics } from "./process.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route waits for something on purpose, so how long it takes is not measured. */
    waits?: true;
  }
}

/** Addresses that do not exist: as they were sent they would be labels without bound. */
const UNKNOWN_ROUTE = "_unknown";

/** Counts calls, also those whose client has gone, and refused writes of stale claims. Call before the routes are added. */
export function measureRequests(app: App, metrics: ProcessMetrics): void {
  app.onCallEnd((request, reply) => {
    const { url, config } = request.routeOptions;
    const route = request.is404 ? UNKNOWN_ROUTE : (url ?? UNKNOWN_ROUTE);
    const seconds = config.waits === true ? null : reply.elapsedTime / 1_000;
    metrics.answered(request.method, route, reply.statusCode, seconds);
  });
  app.addHook("onError", (request, _reply, error, done) => {
    if (error instanceof KonveierError && error.code === "lease_lost") {
      const operation = operationOf(request.routeOptions.url ?? "");
      if (operation !== null) metrics.rejected(operation);
    }
    done();
  });
}

/** The last word of the route, such as `complete`. */
function operationOf(route: string): FencedOperation | null {
  const word = route.slice(route.lastIndexOf("/") + 1);
  return FENCED_OPERATIONS.find((operation) => operation === word) ?? null;
}
