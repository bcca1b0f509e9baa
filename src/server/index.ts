import type { FastifyInstance } from "fastify";
import { pino, type Logger } from "pino";
import { callAt } from "../core/clock.js";
import type { EngineContext } from "../engine/context.js";
import { createAccess } from "./access/access.js";
import { createApp, type App } from "./app.js";
import { dashboardRoutes } from "./dashboard/routes.js";
import { Listeners } from "./listeners.js";
import { measureRequests } from "./metrics/http.js";
import { refuseOtherMethods } from "./other-methods.js";
import { auditRoutes } from "./routes/audit.js";
import { bulkRoutes } from "./routes/bulk.js";
import { ackRoute } from "./routes/ack.js";
import { claimRoutes } from "./routes/claim.js";
import { enqueueRoutes } from "./routes/enqueue.js";
import { eventRoutes } from "./routes/events.js";
import { findingRoute } from "./routes/findings.js";
import { flowWorkRoutes } from "./routes/flow-work.js";
import { flowRoutes } from "./routes/flows.js";
import { healthRoutes } from "./routes/health.js";
import { homeRoute } from "./routes/home.js";
import { infoRoute } from "./routes/info.js";
import { jobActionRoutes } from "./routes/job-actions.js";
import { deadRoutes } from "./routes/dead.js";
import { dependencyRoutes } from "./routes/dependencies.js";
import { explainRoute } from "./routes/explain.js";
import { jobSearchRoutes } from "./routes/job-search.js";
import { jobRoutes } from "./routes/jobs.js";
import { liveRoute } from "./routes/live.js";
import { metricsRoute } from "./routes/metrics.js";
import { noteRoutes } from "./routes/notes.js";
import { stepRoutes } from "./routes/steps.js";
import { openapiRoute } from "./routes/openapi.js";
import { operationRoutes } from "./routes/operations.js";
import { queueRoutes } from "./routes/queues.js";
import { scheduleRoutes } from "./routes/schedules.js";
import { sessionRoutes } from "./routes/session.js";
import { settlementRoutes } from "./routes/settlements.js";
import { suggestRoute } from "./routes/suggest.js";
import { tokenRoutes } from "./routes/tokens.js";
import { statsRoutes } from "./routes/stats.js";
import { waitRoute } from "./routes/wait.js";
import { workerRoutes } from "./routes/workers.js";
import { NO_FACTS, type ServerFacts } from "./server-facts.js";
import { createServices, type Services } from "./services.js";
import { followSilentConnections } from "./silent-connections.js";

export { logEvents } from "./log-events.js";

export interface ServerOptions {
  /** That of a `Konveier`. */
  readonly context: EngineContext;
  /** What clients send as bearer token. Not empty, no spaces. */
  readonly apiToken: string;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /**
   * Addresses and networks of the proxies in front, such as `10.0.0.0/8`. Only theirs of the headers `X-Forwarded-For`,
   * `-Proto` and `-Host` count. Default: none.
   */
  readonly trustedProxies?: readonly string[];
  /** Whether the dashboard is served beside the API. Default: it is. */
  readonly dashboard?: boolean;
  /** What `/v1/info` tells besides. Default: nothing. */
  readonly facts?: ServerFacts;
}

/** The HTTP server: the API below `/v1`, and the health endpoints. See `docs/http-api.md`. */
export interface KonveierServer {
  /** Begins to accept connections. @returns the address, such as `http://127.0.0.1:8085` */
  listen(options: { host: string; port: number }): Promise<string>;
  /**
   * Sends new requests elsewhere: `/readyz` answers 503, and every answer ends its connection. Everything else goes
   * on, waiting and new claims too.
   */
  announceStop(): void;
  /**
   * Prepares for a stop: `/readyz` answers 503, waiting claims are answered with no jobs, new ones are
   * refused with `draining`, event streams end, who waits for a job is answered. Everything else goes on, so that workers can say how their jobs ended.
   */
  drain(): void;
  /**
   * Drains, takes no new connections, and resolves when the requests on their way are answered; those
   * that are not after five seconds are cut off. The store stays open. May be called twice.
   */
  close(): Promise<void>;
  /** For tests with `inject`. */
  readonly app: FastifyInstance;
}

const CLOSE_GRACE_MS = 5_000;

/**
 * Makes a server on an engine. It runs no workers and no background loops: who starts it does.
 *
 * @throws KonveierError `store_…`
 * @throws TypeError that names what is missing
 * @throws RangeError for a token that no client could send
 */
export async function createServer(options: ServerOptions): Promise<KonveierServer> {
  requireNeeded(options);
  const { context, apiToken, trustedProxies = [], facts = NO_FACTS, dashboard = true } = options;
  const logger = options.logger ?? pino({ enabled: false });
  const access = createAccess(context, apiToken);
  const app = await createApp(context.clock, access, logger, trustedProxies);
  const services = await createServices(context, access, { ...facts, trustedProxies: trustedProxies.length });
  addRoutes(app, services, dashboard);
  const closeSilentConnections = followSilentConnections(app.server);
  const listeners = new Listeners(app);
  const drain = (): void => {
    services.readiness.drain();
    services.desk.drain();
    services.streams.drain();
    services.waits.close();
  };
  let closing: Promise<void> | null = null;
  return {
    app: app as unknown as FastifyInstance,
    listen: ({ host, port }) => listeners.listen(host, port),
    announceStop() {
      services.readiness.drain();
    },
    drain,
    close() {
      drain();
      closing ??= closeApp(app, services, listeners, closeSilentConnections);
      return closing;
    },
  };
}

/** For JavaScript, where nothing else says what is missing. */
function requireNeeded({ context, apiToken }: Partial<ServerOptions>): void {
  if (context === undefined) throw new TypeError("createServer needs `context`, such as that of a Konveier.");
  if (apiToken === undefined) throw new TypeError("createServer needs `apiToken`: what clients send.");
}

function addRoutes(app: App, services: Services, dashboard: boolean): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    // The client's next request should go to another server, and an idle connection would hold up the close.
    if (services.readiness.draining) reply.header("Connection", "close");
    done(null, payload);
  });
  measureRequests(app, services.metrics.process);
  const refuseOthers = refuseOtherMethods(app);
  if (dashboard) dashboardRoutes(app);
  else homeRoute(app);
  openapiRoute(app);
  infoRoute(app, services);
  healthRoutes(app, services);
  findingRoute(app, services);
  enqueueRoutes(app, services);
  jobSearchRoutes(app, services);
  deadRoutes(app, services);
  explainRoute(app, services);
  jobRoutes(app, services);
  waitRoute(app, services);
  jobActionRoutes(app, services);
  bulkRoutes(app, services);
  operationRoutes(app, services);
  flowRoutes(app, services);
  dependencyRoutes(app, services);
  queueRoutes(app, services);
  scheduleRoutes(app, services);
  workerRoutes(app, services);
  claimRoutes(app, services);
  settlementRoutes(app, services);
  ackRoute(app, services);
  noteRoutes(app, services);
  stepRoutes(app, services);
  flowWorkRoutes(app, services);
  tokenRoutes(app, services);
  sessionRoutes(app, services);
  auditRoutes(app, services);
  statsRoutes(app, services);
  metricsRoute(app, services);
  eventRoutes(app, services);
  liveRoute(app, services);
  suggestRoute(app, services);
  refuseOthers();
}

async function closeApp(
  app: App,
  { context: { clock }, desk, metrics }: Services,
  listeners: Listeners,
  closeSilentConnections: () => Promise<void>,
): Promise<void> {
  // A client that does not read its answer must not keep the process.
  const cancel = callAt(clock, clock.monotonic() + CLOSE_GRACE_MS, () => {
    app.server.closeAllConnections();
  });
  const closed = Promise.all([app.close(), listeners.close()]);
  await closeSilentConnections();
  await closed;
  cancel();
  await desk.close();
  metrics.stop();
}
