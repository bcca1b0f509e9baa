import { callAt, type Clock } from "./clock.js";
import { ABORT_GRACE_MS } from "./defaults.js";
import type { AnyJobDefinition, JobContext, PayloadSchema } from "./define-job.js";
import { KonveierError } from "./errors.js";
import { NonRetryableError } from "./outcomes.js";
import { validatePayload } from "./payload-schema.js";
import { JobTimeoutError, WorkerStoppingError, type AbortReason, type Run } from "./run.js";
import type { Tracer } from "./tracing.js";
import { NotCommittedError } from "./transactions.js";
import { verdictOn, type Verdict } from "./verdict.js";

export interface AttemptEvents {
  /** How the attempt ends; `null` when it was lost and nothing is to be said. Called once. */
  settled(run: Run, verdict: Verdict | null): void;
  /** The handler has returned, or is given up: its slot is free. Called once. */
  ended(run: Run, stuck: boolean): void;
}

/** Calls the handler in the trace of its attempt. Only the handler: what the worker does next belongs to no job. */
export function callTraced(
  run: Run,
  tracer: Tracer | null,
  workerId: string,
  call: () => Promise<unknown>,
): Promise<unknown> {
  if (tracer === null) return call();
  run.trace = tracer.process(run.job, workerId);
  return run.trace.run(call);
}

/** Decodes the payload, validates it, and calls the handler. */
export async function callHandler(
  run: Run,
  definition: AnyJobDefinition | undefined,
  contextFor: (payload: unknown) => JobContext,
): Promise<unknown> {
  if (definition === undefined) {
    throw new Error(`This worker has no handler for jobs named ${run.job.name}`);
  }
  let payload = decode(run.job.payload);
  if (definition.schema !== undefined) {
    payload = await valid(definition.schema, payload);
    // The validator may have taken longer than the job was ours.
    run.checkLease();
    if (run.abortReason !== null) throw run.abortReason;
  }
  return definition.handler(contextFor(payload)) as unknown;
}

function decode(payload: string): unknown {
  try {
    return JSON.parse(payload) as unknown;
  } catch (error) {
    throw new Error("The stored payload is not valid JSON", { cause: error });
  }
}

/** The same payload would fail every time, so the job is dead at once. */
async function valid<Payload>(schema: PayloadSchema<Payload>, payload: unknown): Promise<Payload> {
  try {
    return await validatePayload(schema, payload);
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    throw new NonRetryableError(error.message, { cause: error });
  }
}

/**
 * A handler that has completed its job in a transaction says nothing more by returning: if that was committed, a
 * failure is refused, and if not, the job must run again.
 */
function returned(run: Run, result: unknown): Verdict {
  if (!run.completedWithin) return { kind: "completed", result };
  return { kind: "failed", outcome: "failed", thrown: new NotCommittedError(), retry: "auto" };
}

/** The end of one attempt: by its handler, its timeout, or an abort, whichever is first. */
export class Attempt {
  #ended = false;
  #cancelTimeout: (() => void) | null = null;
  #cancelGrace: (() => void) | null = null;
  readonly #began: number;

  constructor(
    private readonly clock: Clock,
    private readonly run: Run,
    private readonly events: AttemptEvents,
  ) {
    this.#began = clock.monotonic();
  }

  begin(outcome: Promise<unknown>): void {
    const { timeoutMs } = this.run.job;
    if (timeoutMs !== null) {
      this.#cancelTimeout = callAt(this.clock, this.#began + timeoutMs, () => {
        this.run.abort(new JobTimeoutError(timeoutMs));
      });
    }
    this.run.onAbort((reason) => {
      this.#aborted(reason);
    });
    outcome.then(
      (result) => {
        this.#settle(returned(this.run, result));
        this.#end(false);
      },
      (error: unknown) => {
        this.#settle(verdictOn(this.run, error));
        this.#end(false);
      },
    );
  }

  #aborted(reason: AbortReason): void {
    this.#cancelTimeout?.();
    // A timeout is decided. A stop may still be answered by a handler that finishes in its last moments.
    if (reason instanceof JobTimeoutError) {
      this.#settle(verdictOn(this.run, reason));
    }
    if (reason instanceof WorkerStoppingError) return;
    this.#cancelGrace = callAt(this.clock, this.clock.monotonic() + ABORT_GRACE_MS, () => {
      this.#settle(null);
      this.#end(true);
    });
  }

  #settle(verdict: Verdict | null): void {
    this.#cancelTimeout?.();
    if (!this.run.takeDecision()) return;
    this.events.settled(this.run, this.run.lost === null ? verdict : null);
  }

  #end(stuck: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelGrace?.();
    this.events.ended(this.run, stuck);
  }
}
