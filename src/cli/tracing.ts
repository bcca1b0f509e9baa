import type { Logger } from "pino";
import { callAt, systemClock } from "../core/clock.js";
import type { Tracer } from "../core/tracing.js";
import { version } from "../server/version.js";

/** What traces a server, until it stops. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what has not been sent. Never rejects, and does not wait long for a receiver that is not there. */
  stop(): Promise<void>;
}

/** A stop has other things to do as well, and its time is limited. */
const LAST_SPANS_MS = 2_000;
const PROBLEM_EVERY_MS = 60_000;

const INSTALL =
  "npm install @opentelemetry/api@1.9 @opentelemetry/sdk-trace-node@2 @opentelemetry/resources@2 @opentelemetry/exporter-trace-otlp-http@0.223";

/**
 * Loads the OpenTelemetry SDK, which reads its own variables, and registers it. Without the packages, or when
 * they cannot be set up, the server goes on untraced: `null`, and a line in the log.
 */
export async function startTracing(logger: Logger): Promise<Tracing | null> {
  try {
    return await start(logger);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (missing) {
      logger.warn(
        { event: "tracing.unavailable" },
        `Nothing is traced although an OTLP endpoint is set: packages are missing. Run: ${INSTALL}`,
      );
    } else
      logger.warn({ event: "tracing.unavailable", err: error }, "Nothing is traced: OpenTelemetry failed");
    return null;
  }
}

async function start(logger: Logger): Promise<Tracing> {
  const [api, sdk, resources, otlp, { openTelemetry }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("../otel/index.js"),
  ]);
  const own = { "service.name": "konveier", "service.version": version() };
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(own))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new otlp.OTLPTraceExporter())],
  });
  const report = problemReporter(logger);
  const quiet = (): void => undefined;
  api.diag.setLogger(
    { error: report, warn: quiet, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  provider.register();
  return {
    tracer: openTelemetry({ tracerProvider: provider }),
    stop: () => within(provider.shutdown(), report),
  };
}

/** A receiver that is away would be told of every few seconds. */
function problemReporter(logger: Logger): (problem: string) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (problem) => {
    const now = systemClock.monotonic();
    if (now < quietUntil) return;
    quietUntil = now + PROBLEM_EVERY_MS;
    logger.warn({ event: "tracing.failed", problem: problem.slice(0, 500) }, "spans could not be sent");
  };
}

function within(done: Promise<void>, report: (problem: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = callAt(systemClock, systemClock.monotonic() + LAST_SPANS_MS, resolve);
    done
      .catch((error: unknown) => {
        report(String(error));
      })
      .finally(() => {
        cancel();
        resolve();
      });
  });
}
