import { readFileSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readConfig } from "../config.js";
import type { ServeConfig } from "../serve-config.js";
import { tokenFile } from "../greeting.js";
import { localUrl } from "../local-url.js";
import { StartError } from "../start-error.js";
import { checkDatabase, checkFilesystem } from "./database.js";
import { checkDirectory, checkPermissions, checkToken, nearestDirectory } from "./files.js";
import { fault, ok, warning, type Finding } from "./finding.js";
import { checkDisk, checkNode, checkOpenFiles } from "./machine.js";
import { checkPostgres } from "./postgres.js";
import { checkPort, checkServer } from "./server.js";

export interface DoctorFlags {
  readonly database?: string;
  readonly url?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks at everything that `konveier serve` needs with this environment, and changes nothing. */
export async function examine(env: Environment, flags: DoctorFlags): Promise<readonly Finding[]> {
  const findings: Finding[] = [checkNode(process.versions.node), checkOpenFiles(limits())];
  const config = readEnvironment(env, flags, findings);
  if (config !== null) {
    findings.push(checkRetention(config), ...(await checkStorage(config)));
  }
  findings.push(await checkListening(env, flags, config));
  return findings;
}

function readEnvironment(
  env: Environment,
  { database }: DoctorFlags,
  findings: Finding[],
): ServeConfig | null {
  const check = "configuration";
  try {
    const { config, warnings } = readConfig(env, database === undefined ? {} : { database }, (path) =>
      readFileSync(path, "utf8"),
    );
    if (warnings.length === 0) findings.push(ok(check, "every variable is known and can be used"));
    for (const text of warnings) findings.push(warning(check, text, "Correct or remove the variable."));
    return config;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    findings.push(
      fault(check, error.message, "Correct the variables; what depends on them was not looked at."),
    );
    return null;
  }
}

function checkRetention({ retention }: Pick<ServeConfig, "retention">): Finding {
  const check = "retention";
  const { completedMs, deadMs, maxCompleted } = retention;
  if (completedMs === null && maxCompleted === undefined) {
    const advice =
      "Set KONVEIER_RETENTION_MAX_COMPLETED or KONVEIER_RETENTION_COMPLETED_MS, or watch the disk.";
    return warning(check, "completed jobs are kept without end", advice);
  }
  if (deadMs === 0) {
    const advice = "Set KONVEIER_RETENTION_DEAD_MS to at least some days.";
    return warning(check, "dead jobs are removed before anybody can look at them", advice);
  }
  return ok(check, "finished jobs are removed in time");
}

async function checkStorage(config: ServeConfig): Promise<readonly Finding[]> {
  const { database, apiToken } = config;
  const token = tokenFile(database);
  if (token === null)
    return [warning("database", "it is in memory", "Jobs end with the server: set DATABASE_URL.")];
  if (database.kind === "postgres") {
    return [
      checkToken(resolve(token), apiToken !== null),
      ...(await checkPostgres(database.url, config.store)),
    ];
  }
  const file = resolve(database.file);
  const directory = dirname(file);
  const there = nearestDirectory(directory);
  const { bavail, bsize } = statfsSync(there);
  return [
    checkDirectory(directory),
    checkFilesystem(there),
    checkDisk(bavail * bsize),
    checkPermissions(file),
    checkToken(resolve(token), apiToken !== null),
    ...checkDatabase(file, Date.now()),
  ];
}

async function checkListening(
  env: Environment,
  { url }: DoctorFlags,
  config: ServeConfig | null,
): Promise<Finding> {
  if (url !== undefined || config === null) {
    const asked = url ?? localUrl(env);
    if (!URL.canParse(asked))
      return fault("server", `${asked} is no URL`, "Give one such as http://127.0.0.1:8085.");
    return (await checkServer(asked)) ?? fault("server", `nobody listens on ${asked}`, "Start the server.");
  }
  const { host, port } = config;
  if (port === 0) return ok("server", "the server takes any free port");
  return (await checkServer(localUrl(env))) ?? (await checkPort(host, port));
}

function limits(): string | null {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return null;
  }
}
