import type { Backoff, BackoffFunction } from "./backoff.js";
import { KonveierError } from "./errors.js";
import type { ClaimedJob, LogLevel } from "./job.js";
import type { JobFlow } from "./job-flow.js";
import { assertName } from "./names.js";
import type { JobWithin } from "./transactions.js";

/** What a handler is given. */
export interface JobContext<Payload = unknown> {
  readonly job: Omit<ClaimedJob, "payload" | "token">;
  readonly payload: Payload;
  /**
   * Aborts when the job may not go on here: its timeout passed, it was cancelled, its lease was lost, or
   * the worker stops. `signal.reason` says which.
   */
  readonly signal: AbortSignal;
  /**
   * The fencing token, larger than that of every earlier attempt of this job. Hand it to a system that
   * can refuse smaller ones, and an attempt that wakes up late cannot harm it.
   */
  readonly token: number;
  /**
   * Shows how far the job is, 0 to 100. Rejects with `LeaseLostError` when the job is no longer held;
   * need not be awaited.
   */
  readonly progress: (percent: number, message?: string) => Promise<void>;
  /** Adds a line to the job's log. Rejects and may be left unawaited like `progress`. */
  readonly log: (message: string, level?: LogLevel) => Promise<void>;
  /** Adds jobs to the flow of this one, waits for them, and reads what those before it returned. */
  readonly flow: JobFlow;
  /**
   * Does `work` and stores what it gives, so that later attempts of the job skip it and get that instead. The name
   * tells it from the job's other steps. When the process dies between the work and its storing, it is done again.
   *
   * Resolves with what was stored: JSON, so that a date is text. Rejects with what `work` throws, which is not stored,
   * and with `LeaseLostError` when the job is no longer held.
   */
  readonly step: <Result>(name: string, work: () => Promise<Result> | Result) => Promise<Result>;
  /**
   * Takes part in a transaction that the handler has open in the database of the jobs. Not for workers over HTTP,
   * which have no such database.
   */
  readonly within: JobWithin;
}

/** Runs one attempt of a job. What it returns is kept as the job's result. */
export type JobHandler<Payload = unknown, Result = unknown> = (
  context: JobContext<Payload>,
) => Promise<Result> | Result;

/** Checks a payload and gives it its type: any validator of the Standard Schema kind, such as zod, fits. */
export interface PayloadSchema<Payload> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Payload> | Promise<SchemaResult<Payload>>;
    readonly types?: { readonly input: unknown; readonly output: Payload } | undefined;
  };
}

export type SchemaResult<Payload> =
  | { readonly value: Payload; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

export interface JobOptions<Payload, Result> {
  readonly handler: JobHandler<Payload, Result>;
  /** Checks the payload at `enqueue` and again before the handler. */
  readonly schema?: PayloadSchema<Payload>;
  /** Queue of jobs that are enqueued without one. Default `default`. */
  readonly queue?: string;
  /** Default 20. */
  readonly maxAttempts?: number;
  /** A stored policy, or a function that only processes with this definition know. */
  readonly backoff?: Backoff | BackoffFunction;
  /** Longest time for one attempt, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
}

/** A job name together with its handler and defaults. */
export interface JobDefinition<Payload = unknown, Result = unknown> extends JobOptions<Payload, Result> {
  readonly name: string;
}

/** A definition of whatever payload and result, where only its name and handler matter. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- handlers are contravariant in their payload, so `unknown` would refuse every typed one
export type AnyJobDefinition = JobDefinition<any, any>;

/**
 * Defines the job `name`: its handler and the defaults for jobs of that name.
 *
 * @throws KonveierError `validation_failed` for a name that is not allowed
 */
export function defineJob<Payload = unknown, Result = unknown>(
  name: string,
  options: JobOptions<Payload, Result>,
): JobDefinition<Payload, Result> {
  assertName("name", name);
  if (typeof options.handler !== "function") {
    throw new KonveierError("validation_failed", `defineJob("${name}") needs a handler function`);
  }
  return { ...options, name };
}
