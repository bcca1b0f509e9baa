/** A process with one library worker of jobs of flows, which keeps a journal of what its handlers do. */
import { appendFileSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { defineJob, type JobContext } from "../../../src/core/define-job.js";
import { NonRetryableError, WaitForJobs } from "../../../src/core/outcomes.js";
import { Konveier } from "../../../src/konveier.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface FlowWorkerInput {
  readonly url: string;
  readonly schema?: string;
  /** Gets the journal of each process, and marks of what has happened. */
  readonly directory: string;
  readonly concurrency: number;
  readonly leaseMs: number;
}

/**
 * - `fail`: fails once, then completes
 * - `die`: is dead at once, until the mark `healed` is there
 * - `crash`: kills its process once, then completes
 * - `freeze`: stops its process once; when that is let go on, says that it is done all the same. Until then the next
 *   attempt runs
 * - `spawn`: adds jobs and waits for them
 */
export type Fate = "complete" | "fail" | "die" | "crash" | "freeze" | "spawn";

export interface FlowPayload {
  readonly fate: Fate;
  /** Of `spawn`: what becomes of those that it adds. */
  readonly children?: readonly Fate[];
}

export interface JournalLine {
  readonly id: string;
  readonly token: number;
  /** Microseconds on a clock that all processes of the machine share. */
  readonly at: number;
  /** `taken`: a write with a token that was lost was not refused. */
  readonly what: "start" | "completed" | "failed" | "refused" | "taken";
}

export type FlowWorkerMessage =
  | { readonly type: "ready" | "run" }
  /** The process is about to stop in the middle of this job. */
  | { readonly type: "frozen"; readonly id: string; readonly token: number }
  /** It went on, and has tried to write. */
  | { readonly type: "spoke"; readonly id: string };

/** Of jobs that are added. */
const AT_ONCE = { type: "fixed", delayMs: 0 } as const;

const { url, schema, directory, concurrency, leaseMs } = input() as FlowWorkerInput;
const journal = openSync(join(directory, `journal-${String(process.pid)}`), "a");
const konveier = await Konveier.open(url, schema === undefined ? {} : { schema });

const node = defineJob<FlowPayload>("node", {
  handler: async (context) => {
    note(context, "start");
    tell({ type: "run" });
    try {
      await meet(context, context.payload);
    } catch (error) {
      if (!(error instanceof WaitForJobs)) note(context, "failed");
      throw error;
    }
    note(context, "completed");
    return context.token;
  },
});

const worker = konveier.worker({ jobs: [node], concurrency, leaseMs, pollMs: 200 });
onCommand(() => {
  konveier.close().then(leave, fail);
});
worker.start().then(() => {
  tell({ type: "ready" });
}, fail);

async function meet(context: JobContext, { fate, children = [] }: FlowPayload): Promise<void> {
  const { job, flow } = context;
  await new Promise((resolve) => setTimeout(resolve, Number(job.id) % 7));
  switch (fate) {
    case "complete":
      break;
    case "fail":
      if (isFirst(context)) throw new Error("The first attempt fails");
      break;
    case "die":
      if (!existsSync(join(directory, "healed"))) throw new NonRetryableError("It dies");
      break;
    case "crash":
      if (isFirst(context)) process.kill(process.pid, "SIGKILL");
      break;
    case "freeze":
      if (isFirst(context)) await freeze(context);
      else await mark(`go-on-${job.id}`, context.signal);
      break;
    case "spawn": {
      const place = (index: number) => `${job.flow?.ref ?? ""}/${String(index)}`;
      await flow.add(
        children.map((child, index) => ({
          ref: place(index),
          name: job.name,
          payload: { fate: child },
          backoff: AT_ONCE,
        })),
      );
      await flow.wait(children.map((_, index) => place(index)));
      break;
    }
  }
}

/** Whether no attempt of the job, in whichever process, has come here before. */
function isFirst({ job }: JobContext): boolean {
  try {
    openSync(join(directory, `mark-${job.id}`), "wx");
    return true;
  } catch {
    return false;
  }
}

/** Goes on when somebody lets the process go on, with a write that the worker itself might not have tried any more. */
async function freeze(context: JobContext): Promise<void> {
  const { job, token } = context;
  await new Promise((resolve) => process.send?.({ type: "frozen", id: job.id, token }, resolve));
  process.kill(process.pid, "SIGSTOP");
  const [settled] = await konveier.context.store.claims.settle([
    { verb: "complete", id: job.id, token, result: "-1", resultProblem: null },
  ]);
  note(context, settled?.ok === true ? "taken" : "refused");
  tell({ type: "spoke", id: job.id });
}

/** Resolves when the mark is there. */
async function mark(name: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(join(directory, name)) && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function note({ job, token }: JobContext, what: JournalLine["what"]): void {
  const line: JournalLine = { id: job.id, token, at: Number(process.hrtime.bigint() / 1_000n), what };
  appendFileSync(journal, `${JSON.stringify(line)}\n`);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
