import { isIP } from "node:net";
import {
  DEFAULT_GRACE_MS,
  DEFAULT_LEASE_MS,
  DEFAULT_QUEUE,
  MAX_CLAIM,
  MAX_LEASE_MS,
  MIN_LEASE_MS,
} from "../core/defaults.js";
import { isName } from "../core/names.js";
import { DEMO_QUEUES } from "../handlers/demo/queues.js";
import { addressPolicy } from "../handlers/webhook/address-policy.js";
import { parseNetwork } from "../handlers/webhook/network.js";
import { parseSigningSecret } from "../handlers/webhook/signature.js";
import { databaseAddress } from "../database-address.js";
import type { Retention } from "../store/maintenance.js";
import { API_TOKEN_RULE, isApiToken } from "./api-token.js";
import { effectiveSettings } from "./effective-settings.js";
import { readEnvironmentMark } from "./environment-mark.js";
import { EXIT } from "./exit-codes.js";
import { LOG_LEVELS, type ServeConfig } from "./serve-config.js";
import {
  quoted,
  Settings,
  type Flag,
  type Secret,
  type SettingFault,
  type SettingSources,
} from "./settings.js";
import { StartError } from "./start-error.js";

export interface ServeFlags {
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
}

/** For the commands that talk to a server. They may well stand in the environment of that server too. */
const CLIENT_VARIABLES = new Set(["KONVEIER_URL", "KONVEIER_TOKEN", "KONVEIER_TOKEN_FILE"]);
export const DEFAULT_DATABASE_URL = "sqlite:./data/konveier.db";
const MAX_GRACE_MS = 3_600_000;
const MAX_STOP_DELAY_MS = 60_000;
/** A hundred years. */
const MAX_RETENTION_MS = 100 * 365 * 24 * 3_600_000;

/**
 * Makes the configuration of environment and flags.
 *
 * @throws StartError that lists every fault by name
 */
export function readConfig(
  env: SettingSources["env"],
  flags: ServeFlags,
  readFile: SettingSources["readFile"],
): { readonly config: ServeConfig; readonly warnings: readonly string[] } {
  const settings = new Settings({ env, flags: flagsByName(flags), readFile });
  const databaseUrl = settings.textOrFile("DATABASE_URL") ?? DEFAULT_DATABASE_URL;
  const seedDemo = settings.yesOrNo("SEED_DEMO") ?? false;
  const values: Omit<ServeConfig, "effective"> = {
    host: settings.parsed("HOST", readHost) ?? "127.0.0.1",
    port: settings.wholeNumber("PORT", 0, 65_535) ?? 8085,
    databaseUrl,
    database:
      settings.read("DATABASE_URL", databaseUrl, databaseAddress) ?? databaseAddress(DEFAULT_DATABASE_URL),
    store: readStore(settings),
    apiToken: readApiToken(settings),
    trustedProxies: settings.list("KONVEIER_TRUST_PROXY", (entry) => problemOf(() => readProxy(entry))) ?? [],
    seedDemo,
    environment: readEnvironmentMark(settings),
    worker: readWorker(settings, seedDemo),
    stopDelayMs: settings.wholeNumber("KONVEIER_STOP_DELAY_MS", 0, MAX_STOP_DELAY_MS) ?? 0,
    shutdownGraceMs: settings.wholeNumber("KONVEIER_SHUTDOWN_GRACE_MS", 0, MAX_GRACE_MS) ?? DEFAULT_GRACE_MS,
    retention: readRetention(settings),
    log: {
      level: settings.choice("KONVEIER_LOG_LEVEL", LOG_LEVELS) ?? "info",
      format: settings.choice("KONVEIER_LOG_FORMAT", ["json", "pretty"]) ?? "auto",
    },
    tracing: readTracing(settings),
    webhook: readWebhook(settings),
  };
  if (settings.faults.length > 0) throw configError(settings.faults);
  const config: ServeConfig = { ...values, effective: effectiveSettings(values, settings) };
  return { config, warnings: [...unknownNames(settings), ...weaknesses(config)] };
}

function readStore(settings: Settings): ServeConfig["store"] {
  return {
    synchronous: settings.choice("KONVEIER_SYNCHRONOUS", ["full", "normal"]) ?? "full",
    schema: settings.parsed("KONVEIER_SCHEMA", readSchema),
    listenUrl: readListenUrl(settings),
  };
}

function readSchema(text: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(text) && !text.startsWith("pg_")) return text;
  throw new Error("must be lower-case letters, digits and underscores, and begin with a letter");
}

function readListenUrl(settings: Settings): string | undefined {
  const name = "KONVEIER_LISTEN_URL";
  const text = settings.textOrFile(name);
  if (text === undefined) return undefined;
  const address = settings.read(name, text, databaseAddress);
  if (address?.kind === "postgres") return address.url;
  if (address !== undefined) settings.fault(name, "must be a postgres:// URL");
  return undefined;
}

function flagsByName({ host, port, database }: ServeFlags): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  if (host !== undefined) flags.set("HOST", { flag: "--host", value: host });
  if (port !== undefined) flags.set("PORT", { flag: "--port", value: port });
  if (database !== undefined) flags.set("DATABASE_URL", { flag: "--database", value: database });
  return flags;
}

function readHost(text: string): string {
  // A URL or "host:port" given here by mistake would only fail later, as a name that cannot be resolved.
  if (isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text)) return text;
  throw new Error(`must be an IP address or a host name, not ${quoted(text)}`);
}

function readApiToken(settings: Settings): ServeConfig["apiToken"] {
  const token = settings.secret("API_TOKEN");
  if (token === undefined) return null;
  if (isApiToken(token.value)) return token;
  settings.fault(secretName("API_TOKEN", token.file), API_TOKEN_RULE);
  return null;
}

/** An address or a network. */
function readProxy(entry: string): string {
  try {
    if (isIP(entry) === 0) parseNetwork(entry);
    return entry;
  } catch (error) {
    throw new Error(`holds ${quoted(entry)}, which ${(error as Error).message}, or an address`);
  }
}

function readWorker(settings: Settings, seedDemo: boolean): ServeConfig["worker"] {
  const queues = settings.list("KONVEIER_QUEUES", (queue) =>
    isName(queue) ? null : `holds ${quoted(queue)}, which is no queue name`,
  );
  return {
    concurrency: settings.wholeNumber("KONVEIER_CONCURRENCY", 1, MAX_CLAIM) ?? 20,
    queues: [...new Set(queues ?? [DEFAULT_QUEUE, ...(seedDemo ? DEMO_QUEUES : [])])],
    leaseMs: settings.wholeNumber("KONVEIER_LEASE_MS", MIN_LEASE_MS, MAX_LEASE_MS) ?? DEFAULT_LEASE_MS,
  };
}

function readRetention(settings: Settings): Partial<Retention> {
  const read = (name: string, max: number) => settings.wholeNumberOr("never", name, max);
  const completedMs = read("KONVEIER_RETENTION_COMPLETED_MS", MAX_RETENTION_MS);
  const cancelledMs = read("KONVEIER_RETENTION_CANCELLED_MS", MAX_RETENTION_MS);
  const deadMs = read("KONVEIER_RETENTION_DEAD_MS", MAX_RETENTION_MS);
  const maxCompleted = settings.wholeNumber("KONVEIER_RETENTION_MAX_COMPLETED", 0, Number.MAX_SAFE_INTEGER);
  return {
    ...(completedMs !== undefined && { completedMs }),
    ...(cancelledMs !== undefined && { cancelledMs }),
    ...(deadMs !== undefined && { deadMs }),
    ...(maxCompleted !== undefined && { maxCompleted }),
  };
}

/** By the rules of OpenTelemetry: only the word `true` switches off. */
function readTracing(settings: Settings): boolean {
  const endpoints = [
    settings.parsed("OTEL_EXPORTER_OTLP_ENDPOINT", readHttpUrl),
    settings.parsed("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", readHttpUrl),
  ];
  const off =
    settings.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true" ||
    settings.text("OTEL_TRACES_EXPORTER")?.toLowerCase() === "none";
  return !off && endpoints.some((endpoint) => endpoint !== undefined);
}

/** It may hold a password, so a fault does not repeat it. */
function readHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new Error("must be a URL that begins with http:// or https://");
}

function readWebhook(settings: Settings): ServeConfig["webhook"] {
  const allowCidrs = settings.list("KONVEIER_WEBHOOK_ALLOW_CIDRS", (cidr) =>
    problemOf(() => addressPolicy([cidr])),
  );
  const secrets = settings.secret("KONVEIER_WEBHOOK_SECRETS");
  return {
    allowCidrs: allowCidrs ?? [],
    signingSecrets: secrets === undefined ? [] : readSigningSecrets(settings, secrets),
  };
}

function readSigningSecrets(settings: Settings, { value, file }: Secret): readonly string[] {
  const name = secretName("KONVEIER_WEBHOOK_SECRETS", file);
  const secrets = settings.entries(name, value, (secret) => problemOf(() => parseSigningSecret(secret)));
  if (secrets.length > 2) settings.fault(name, "holds more than two secrets, the new and the old one");
  return secrets;
}

function secretName(name: string, file: string | null): string {
  return file === null ? name : `${name}_FILE`;
}

function problemOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function unknownNames(settings: Settings): string[] {
  const unknown = settings.unknown().filter(({ name }) => !CLIENT_VARIABLES.has(name));
  return unknown.map(({ name, nearest }) => {
    const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
    return `${name} is not a setting of Konveier and has no effect.${hint}`;
  });
}

const LOOPBACK = /^(127\.|::1$|localhost$)/;

function weaknesses({ host, apiToken, trustedProxies }: ServeConfig): string[] {
  const found: string[] = [];
  if (apiToken !== null && apiToken.value.length < 16 && !LOOPBACK.test(host)) {
    found.push(
      `API_TOKEN has only ${apiToken.value.length} characters, and ${host} can be reached from other machines. Use a long random one.`,
    );
  }
  if (trustedProxies.some((entry) => entry.endsWith("/0"))) {
    found.push(
      "KONVEIER_TRUST_PROXY trusts everybody: any client can choose the address that it is known by.",
    );
  }
  return found;
}

function configError(faults: readonly SettingFault[]): StartError {
  const width = Math.max(...faults.map(({ setting }) => setting.length));
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
  return new StartError(
    [
      `The configuration has ${count}:`,
      ...faults.map(({ setting, problem }) => `  ${setting.padEnd(width)}  ${problem}`),
      "`konveier serve --help` lists every setting.",
    ].join("\n"),
    EXIT.configuration,
  );
}
