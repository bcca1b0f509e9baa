import type { EffectiveSetting, EnvironmentMark } from "../server/server-facts.js";
import type { Retention } from "../store/maintenance.js";
import type { DatabaseAddress } from "../database-address.js";
import type { Secret } from "./settings.js";

/** What `konveier serve` runs with. */
export interface ServeConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly databaseUrl: string;
  readonly database: DatabaseAddress;
  readonly store: {
    /** SQLite only. */
    readonly synchronous: "full" | "normal";
    /** PostgreSQL only. */
    readonly schema: string | undefined;
    /** PostgreSQL only. */
    readonly listenUrl: string | undefined;
  };
  /** `null`: use the one in the data directory, made when it is missing. */
  readonly apiToken: Secret | null;
  /** Addresses and networks of proxies whose `X-Forwarded-…` headers count. */
  readonly trustedProxies: readonly string[];
  readonly seedDemo: boolean;
  readonly environment: EnvironmentMark | null;
  readonly worker: {
    readonly concurrency: number;
    readonly queues: readonly string[];
    readonly leaseMs: number;
  };
  /** How long a stop is only announced, before it begins. */
  readonly stopDelayMs: number;
  readonly shutdownGraceMs: number;
  readonly retention: Partial<Retention>;
  readonly log: { readonly level: LogLevel; readonly format: "json" | "pretty" | "auto" };
  /** Whether spans are sent somewhere. The rest is read by the OpenTelemetry SDK itself. */
  readonly tracing: boolean;
  readonly webhook: { readonly allowCidrs: readonly string[]; readonly signingSecrets: readonly string[] };
  /** All of this as administrators may see it. */
  readonly effective: readonly EffectiveSetting[];
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
