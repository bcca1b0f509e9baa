import type { EffectiveSetting } from "../server/server-facts.js";
import { completeRetention } from "../engine/retention.js";
import type { ServeConfig } from "./serve-config.js";
import type { Settings } from "./settings.js";

type Values = Omit<ServeConfig, "effective">;

/**
 * Every setting as `konveier serve` runs with it, for administrators. Left out are values that are secret, that may
 * hold a password, such as addresses, and paths.
 */
export function effectiveSettings(config: Values, settings: Settings): readonly EffectiveSetting[] {
  const plain = Object.entries(plainValues(config)).map(([name, value]) => ({
    name,
    value: value === null ? null : String(value),
    secret: false,
    source: settings.sourceOf(name),
  }));
  const secret = SECRETS.map((name) => ({
    name,
    value: null,
    secret: true,
    source: settings.sourceOf(name),
  }));
  return [...plain, ...secret];
}

const SECRETS = [
  "API_TOKEN",
  "KONVEIER_LISTEN_URL",
  "KONVEIER_WEBHOOK_SECRETS",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

function plainValues(config: Values): Readonly<Record<string, string | number | null>> {
  const { worker, log, environment, webhook } = config;
  const retention = completeRetention(config.retention);
  const time = (ms: number | null) => ms ?? "never";
  return {
    HOST: config.host,
    PORT: config.port,
    DATABASE_URL: config.databaseUrl.split(":", 1)[0] ?? null,
    SEED_DEMO: config.seedDemo ? 1 : 0,
    KONVEIER_ENV_LABEL: environment?.label ?? null,
    KONVEIER_ENV_COLOR: environment?.color ?? null,
    KONVEIER_TRUST_PROXY: listed(config.trustedProxies),
    KONVEIER_SYNCHRONOUS: config.store.synchronous,
    KONVEIER_SCHEMA: config.store.schema ?? null,
    KONVEIER_CONCURRENCY: worker.concurrency,
    KONVEIER_QUEUES: listed(worker.queues),
    KONVEIER_LEASE_MS: worker.leaseMs,
    KONVEIER_STOP_DELAY_MS: config.stopDelayMs,
    KONVEIER_SHUTDOWN_GRACE_MS: config.shutdownGraceMs,
    KONVEIER_RETENTION_COMPLETED_MS: time(retention.completedMs),
    KONVEIER_RETENTION_CANCELLED_MS: time(retention.cancelledMs),
    KONVEIER_RETENTION_DEAD_MS: time(retention.deadMs),
    KONVEIER_RETENTION_MAX_COMPLETED: retention.maxCompleted,
    KONVEIER_LOG_LEVEL: log.level,
    KONVEIER_LOG_FORMAT: log.format,
    OTEL_TRACES_EXPORTER: config.tracing ? "otlp" : "none",
    OTEL_SDK_DISABLED: config.tracing ? "false" : null,
    KONVEIER_WEBHOOK_ALLOW_CIDRS: listed(webhook.allowCidrs),
  };
}

function listed(entries: readonly string[]): string | null {
  return entries.length === 0 ? null : entries.join(",");
}
