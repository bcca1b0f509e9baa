/** A process with one library worker. */
import { appendFileSync, existsSync } from "node:fs";
import { KonveierError } from "../../../src/core/errors.js";
import type { EventName } from "../../../src/core/events.js";
import { Konveier } from "../../../src/konveier.js";
import { defineJob, type JobContext } from "../../../src/core/define-job.js";
import type { WorkerOptions } from "../../../src/worker/worker.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface WorkerInput extends Omit<WorkerOptions, "jobs"> {
  readonly file: string;
  /** Gets a line for each run of a handler. */
  readonly runs: string;
  /** Events that the test wants to hear of. */
  readonly events?: readonly EventName[];
}

export type WorkerMessage =
  | { readonly type: "ready" }
  /** A handler has begun. `at`: wall time in milliseconds with fractions. */
  | { readonly type: "run"; readonly id: string; readonly attempt: number; readonly at: number }
  /** What became of a write of a handler that was told to finish; `null`: it was taken. */
  | { readonly type: "wrote"; readonly id: string; readonly what: string; readonly refused: string | null }
  | { readonly type: "event"; readonly name: EventName; readonly event: { readonly id?: string } };

export type WorkerCommand =
  { readonly type: "start" } | { readonly type: "finish"; readonly id: string } | { readonly type: "stop" };

/** A line in the file of runs. */
export interface RunLine {
  readonly id: string;
  readonly attempt: number;
  readonly token: number;
  readonly pid: number;
  /** The handler is about to return. Only of jobs named `span`. */
  readonly ended?: true;
}

const { file, runs, events = [], ...options } = input() as WorkerInput;
const finishers = new Map<string, () => void>();

/** Jobs by how their handlers behave. Each notes its run first, outside of the database. */
const jobs = [
  defineJob("count", { handler: noteRun }),
  defineJob("pause", {
    handler: async (context) => {
      noteRun(context);
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
  }),
  /** Notes its end too, so that the runs of one moment can be counted. */
  defineJob("span", {
    handler: async (context) => {
      noteRun(context);
      await new Promise((resolve) => setTimeout(resolve, 10));
      note(context, { ended: true });
    },
  }),
  defineJob("die", {
    handler: (context) => {
      noteRun(context);
      process.kill(process.pid, "SIGKILL");
    },
  }),
  /** Waits for the command to finish, then still tries to write. */
  defineJob("wait", {
    handler: async (context) => {
      const told = new Promise<void>((resolve) => finishers.set(context.job.id, resolve));
      noteRun(context);
      await told;
      return writeAll(context);
    },
  }),
  /** Blocks the event loop until its worker's file exists, then still tries to write. */
  defineJob<{ readonly until: string }>("block", {
    handler: async (context) => {
      noteRun(context);
      await new Promise((resolve) => setImmediate(resolve));
      while (!existsSync(`${context.payload.until}-${worker.id}`)) sleepAwake();
      return writeAll(context);
    },
  }),
  /** Returns a result that needs new pages in the database. */
  defineJob("large", {
    handler: async (context) => {
      const told = new Promise<void>((resolve) => finishers.set(context.job.id, resolve));
      noteRun(context);
      await told;
      return "r".repeat(200_000);
    },
  }),
];

const konveier = await Konveier.open(`sqlite:${file}`);
for (const name of events) {
  konveier.on(name, (event) => {
    tell({ type: "event", name, event: plain(event) });
  });
}
const worker = konveier.worker({ ...options, jobs });
onCommand((message) => {
  const command = message as WorkerCommand;
  switch (command.type) {
    case "start":
      worker.start().catch(fail);
      break;
    case "finish":
      finishers.get(command.id)?.();
      break;
    case "stop":
      konveier.close().then(leave, fail);
      break;
  }
});
tell({ type: "ready" });

function note({ job, token }: JobContext, more: Pick<RunLine, "ended"> = {}): void {
  const line: RunLine = { id: job.id, attempt: job.attempt, token, pid: process.pid, ...more };
  appendFileSync(runs, `${JSON.stringify(line)}\n`);
}

function noteRun(context: JobContext): void {
  note(context);
  const { job } = context;
  tell({ type: "run", id: job.id, attempt: job.attempt, at: performance.timeOrigin + performance.now() });
}

async function writeAll(context: JobContext): Promise<string> {
  const writes = {
    progress: () => context.progress(99, "written late"),
    log: () => context.log("written late"),
  };
  for (const [what, write] of Object.entries(writes)) {
    const refused = await write().then(
      () => null,
      (error: unknown) => codeOf(error),
    );
    tell({ type: "wrote", id: context.job.id, what, refused });
  }
  return `by ${worker.id}`;
}

/** Blocks this thread for a moment without heating the processor. */
function sleepAwake(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

function codeOf(error: unknown): string {
  return error instanceof KonveierError ? error.code : String(error);
}

/** Errors lose everything in JSON. */
function plain(event: object): object {
  return "error" in event ? { ...event, error: codeOf(event.error) } : event;
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
