import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { RemoteWorker } from "../../client/remote-worker/remote-worker.js";
import { systemClock } from "../../core/clock.js";
import { DEFAULT_GRACE_MS } from "../../core/defaults.js";
import type { AnyJobDefinition } from "../../core/define-job.js";
import { CommandError } from "../command-error.js";
import { databaseAddressOf } from "../database-url.js";
import { clientOf } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { failureOf } from "../failure.js";
import type { RemoteFlags } from "../remote-flags.js";
import type { RunningWorker, WorkerSettings } from "../running-worker.js";
import { StopRequests } from "../stop-requests.js";

export interface WorkerFlags extends Pick<RemoteFlags, "url" | "tokenFile"> {
  readonly queues?: readonly string[];
  readonly concurrency?: number;
  readonly lease?: number;
  readonly grace?: number;
  readonly id?: string;
  readonly database?: string;
}

/** How long what a handler left behind may keep the process when the worker has ended. */
const LEFTOVERS_MS = 2_000;

/** Runs the jobs that a module defines until a signal comes. */
export async function runWorker(file: string, flags: WorkerFlags): Promise<ExitCode> {
  const { queues, concurrency, lease, id, grace = DEFAULT_GRACE_MS } = flags;
  const jobs = await jobsOf(file);
  const settings: WorkerSettings = {
    jobs,
    ...(queues !== undefined && { queues }),
    ...(concurrency !== undefined && { concurrency }),
    ...(lease !== undefined && { leaseMs: lease }),
    ...(id !== undefined && { id }),
  };
  const worker = await started(settings, flags);
  const names = jobs.map(({ name }) => name).join(", ");
  console.error(`konveier: worker ${worker.id} runs ${names}. Ctrl-C stops it.`);
  stopOnSignals(worker, grace);
  await worker.finished;
  // A handler that was given up may have timers and sockets that would keep the process for as long as it likes.
  setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  return EXIT.ok;
}

async function started(settings: WorkerSettings, flags: WorkerFlags): Promise<RunningWorker> {
  if (flags.database !== undefined) {
    if (flags.url !== undefined || flags.tokenFile !== undefined) {
      throw new CommandError(
        "--database works without a server: it excludes --url and --token-file",
        EXIT.usage,
      );
    }
    const address = databaseAddressOf(flags.database);
    // A new one would be a place where no job ever comes.
    if (address.kind === "sqlite" && address.file !== ":memory:" && !existsSync(address.file)) {
      throw new CommandError(`there is no database ${address.file}`, EXIT.configuration);
    }
    const { startLocalWorker } = await import("../local-worker.js");
    return startLocalWorker(flags.database, settings);
  }
  const onProblem = (error: unknown, during: string): void => {
    console.error(`konveier: ${during}: ${failureOf(error).text}`);
  };
  const worker = new RemoteWorker({ ...settings, client: clientOf(flags, process.env), onProblem });
  await worker.start();
  return { id: worker.id, finished: worker.finished, stop: (graceMs) => worker.stop({ graceMs }) };
}

/** The first signal lets running jobs end, the second gives them back at once, the third ends the process. */
function stopOnSignals(worker: RunningWorker, graceMs: number): void {
  const requests = new StopRequests(systemClock, (step) => {
    if (step === "kill") process.exit(EXIT.interrupted);
    const stopped = worker.stop(step === "graceful" ? graceMs : 0);
    if (step !== "graceful") return;
    console.error("konveier: stopping; another signal gives running jobs back at once");
    stopped.then(
      (released) => {
        if (released > 0) console.error(`konveier: jobs given back: ${released}`);
      },
      // `finished` tells it.
      () => undefined,
    );
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      requests.signalled();
    });
  }
}

async function jobsOf(file: string): Promise<readonly AnyJobDefinition[]> {
  const module = await moduleOf(file);
  const exported = module["jobs"] ?? module["default"];
  const jobs: unknown[] = Array.isArray(exported) ? exported : [exported];
  if (jobs.length > 0 && jobs.every(isDefinition)) return jobs;
  throw new CommandError(
    `${file} must export \`jobs\`, or as its default, a list of what defineJob returns`,
    EXIT.configuration,
  );
}

async function moduleOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
  } catch (error) {
    const typescript =
      /\.[cm]?ts$/.test(file) && (error as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION";
    const advice = typescript ? ". Node.js needs help with TypeScript: NODE_OPTIONS='--import tsx'" : "";
    throw new CommandError(
      `${file} cannot be loaded: ${(error as Error).message}${advice}`,
      EXIT.configuration,
      {
        cause: error,
      },
    );
  }
}

function isDefinition(value: unknown): value is AnyJobDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { name, handler } = value as Partial<AnyJobDefinition>;
  return typeof name === "string" && typeof handler === "function";
}
