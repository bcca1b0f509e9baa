import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { systemClock } from "../core/clock.js";
import { keptApiToken, newApiToken } from "./api-token.js";
import { surviveBrokenPipes } from "./broken-pipe.js";
import { readConfig, type ServeFlags } from "./config.js";
import type { ServeConfig } from "./serve-config.js";
import { greeting, tokenFile, type TokenSource } from "./greeting.js";
import { describeDatabase } from "../database-address.js";
import { createLogger } from "./logger.js";
import { Service } from "./service.js";
import { startFailure } from "./start-failure.js";
import { StartError } from "./start-error.js";
import { Supervisor } from "./supervisor.js";
import type { Tracing } from "./tracing.js";
import { version } from "../server/version.js";

/** Resolves when the server runs; signals end the process later. */
export async function serve(flags: ServeFlags): Promise<void> {
  surviveBrokenPipes();
  const config = configOrExit(flags);
  const logger = await createLogger(config.log);
  let service: Service | null = null;
  try {
    service = await Service.open(config, logger, await tracingOf(config, logger));
    supervise(service, config, logger);
    const { token, source, made } = apiToken(config);
    const url = await startQuietly(service, token, logger);
    // Not before: nobody should keep the token of a server that never ran. On stderr, so that it is not kept where the
    // output of the program is.
    if (made) console.error(`API token, shown only once: ${token}`);
    process.stdout.write(greeting(url, version(), config, source));
    const database = describeDatabase(config.database);
    logger.info({ event: "server.started", version: version(), url, database }, "started");
  } catch (error) {
    const failure = startFailure(error, config);
    console.error(`konveier: ${failure.text}`);
    if (failure.unexpected) logger.fatal({ event: "server.defect", err: error }, "the start failed");
    // What tidying up meets on its way would only hide the line that says what to do.
    else logger.level = "silent";
    await service?.stop(0).catch(() => undefined);
    process.exit(failure.exitCode);
  }
}

function configOrExit(flags: ServeFlags): ServeConfig {
  try {
    const { config, warnings } = readConfig(process.env, flags, (path) => readFileSync(path, "utf8"));
    for (const warning of warnings) console.error(`konveier: ${warning}`);
    return config;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(`konveier: ${error.message}`);
    process.exit(error.exitCode);
  }
}

/** Loaded only where it is configured. */
async function tracingOf({ tracing }: ServeConfig, logger: Logger): Promise<Tracing | null> {
  if (!tracing) return null;
  const { startTracing } = await import("./tracing.js");
  return startTracing(logger);
}

function supervise(service: Service, config: ServeConfig, logger: Logger): void {
  const supervisor = new Supervisor(service, {
    logger,
    delayMs: config.stopDelayMs,
    graceMs: config.shutdownGraceMs,
    clock: systemClock,
    exit: (code) => process.exit(code),
    kill: () => process.kill(process.pid, "SIGKILL"),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      supervisor.signalled(signal);
    });
  }
  process.on("uncaughtException", (error) => {
    supervisor.defect(error);
  });
}

/** Nothing is logged before the greeting but what is wrong: the address is the first thing to read. */
async function startQuietly(service: Service, token: string, logger: Logger): Promise<string> {
  const { level } = logger;
  if (level === "info") logger.level = "warn";
  try {
    return await service.start(token);
  } finally {
    logger.level = level;
  }
}

interface ServerToken {
  readonly token: string;
  readonly source: TokenSource;
  /** Whether it was made just now and nobody can know it yet. */
  readonly made: boolean;
}

/** The token of the configuration, or the one that is kept beside the database. */
function apiToken({ apiToken: given, database }: ServeConfig): ServerToken {
  if (given !== null) {
    const { value, file } = given;
    return {
      token: value,
      source: file === null ? { kind: "variable" } : { kind: "file", file },
      made: false,
    };
  }
  const file = tokenFile(database);
  if (file === null) return { token: newApiToken(), source: { kind: "memory" }, made: true };
  const { value, made } = keptApiToken(file);
  return { token: value, source: { kind: "file", file }, made };
}
