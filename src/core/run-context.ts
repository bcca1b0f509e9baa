import { MAX_LOG_MESSAGE_LENGTH, MAX_PROGRESS_MESSAGE_LENGTH } from "./defaults.js";
import { LeaseLostError, type LeaseLossReason } from "./errors.js";
import { LOG_LEVELS, type LogLevel } from "./job.js";
import { storableText } from "./storable-text.js";
import { jobFlowOf, type FlowCalls, type JobFlow } from "./job-flow.js";
import type { JobContext } from "./define-job.js";
import type { Run } from "./run.js";
import { Steps, type StepKeeper } from "./steps.js";
import { andThen, type MaybePromise } from "./transactions.js";

/** Where the notes of running jobs go. Each answers why the claim is lost, or `null`. */
export interface Notes {
  progress(run: NotedRun, percent: number, message: string | null): Promise<LeaseLossReason | null>;
  log(
    run: NotedRun,
    lines: readonly { readonly level: LogLevel; readonly message: string }[],
  ): Promise<LeaseLossReason | null>;
}

type NotedRun = Pick<Run["job"], "id" | "token">;

/** Completes the job of a run in a transaction of the handler's; answers why the claim is lost, or `null`. */
export type CompleteWithin = (
  run: Run,
  connection: unknown,
  result: unknown,
) => MaybePromise<LeaseLossReason | null>;

/** Where what a handler says goes: to the store in this process, or to a server. */
export interface RunLinks {
  readonly notes: Notes;
  readonly flowCalls: FlowCalls;
  readonly steps: StepKeeper;
  readonly completeWithin: CompleteWithin;
}

/** What a handler is given, over the run of its job. */
export class RunContext implements JobContext {
  readonly job: JobContext["job"];
  readonly token: number;
  readonly #run: Run;
  readonly #notes: Notes;
  readonly #flowCalls: FlowCalls;
  readonly #keeper: StepKeeper;
  readonly #completeWithin: CompleteWithin;
  #steps: Steps | null = null;

  constructor(
    run: Run,
    readonly payload: unknown,
    { notes, flowCalls, steps, completeWithin }: RunLinks,
  ) {
    this.#run = run;
    this.#notes = notes;
    this.#flowCalls = flowCalls;
    this.#keeper = steps;
    this.#completeWithin = completeWithin;
    this.job = run.job;
    this.token = run.job.token;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** Getters, so that handlers can destructure them and jobs that need neither pay for neither. */
  get progress(): JobContext["progress"] {
    return (percent, message) => unhandledSafe(this.#progress(percent, message));
  }

  get log(): JobContext["log"] {
    return (message, level) => unhandledSafe(this.#log(message, level));
  }

  get flow(): JobFlow {
    return jobFlowOf(this.#run, this.#flowCalls);
  }

  get step(): JobContext["step"] {
    const steps = (this.#steps ??= new Steps(this.#run, this.#keeper));
    // What comes back has the type of what `work` gives, as far as JSON keeps it.
    return ((name, work) => unhandledSafe(steps.step(name, work))) as JobContext["step"];
  }

  get within(): JobContext["within"] {
    const within = (connection: unknown) => ({
      complete: (result?: unknown) => this.#complete(connection, result),
    });
    // What comes back at once or later depends on the connection, which the overloads tell apart.
    return within as JobContext["within"];
  }

  #complete(connection: unknown, result: unknown): MaybePromise<void> {
    const run = this.#run;
    run.checkLease();
    if (run.lost !== null) throw new LeaseLostError(run.job.id, run.job.token, run.lost);
    return andThen(this.#completeWithin(run, connection, result), (reason) => {
      if (reason === null) {
        run.completedWithin = true;
        return;
      }
      run.lose(reason);
      throw new LeaseLostError(run.job.id, run.job.token, reason);
    });
  }

  async #progress(percent: number, message?: string): Promise<void> {
    if (!Number.isFinite(percent)) throw new RangeError(`progress ${percent} is no number`);
    const text = message === undefined ? null : storableText(message, MAX_PROGRESS_MESSAGE_LENGTH);
    const bounded = Math.min(Math.max(percent, 0), 100);
    await this.#guarded(() => this.#notes.progress(this.#run.job, bounded, text));
  }

  async #log(message: string, level: LogLevel = "info"): Promise<void> {
    if (!LOG_LEVELS.includes(level)) {
      throw new RangeError(`log level must be one of ${LOG_LEVELS.join(", ")}`);
    }
    const line = { level, message: storableText(message, MAX_LOG_MESSAGE_LENGTH) };
    await this.#guarded(() => this.#notes.log(this.#run.job, [line]));
  }

  async #guarded(write: () => Promise<LeaseLossReason | null>): Promise<void> {
    this.#run.checkLease();
    const reason = this.#run.lost ?? (await write());
    if (reason === null) return;
    this.#run.lose(reason);
    throw new LeaseLostError(this.#run.job.id, this.#run.job.token, reason);
  }
}

/** A handler may ignore the promise: its rejection must not end the process. */
function unhandledSafe<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
