import { clampDelayMs } from "../core/backoff.js";
import { ABORT_GRACE_MS } from "../core/defaults.js";
import { callAt } from "../core/clock.js";
import { KonveierError, LeaseLostError } from "../core/errors.js";
import { NonRetryableError, RetryAfter, Snooze } from "../core/outcomes.js";
import { describeError } from "../core/stored-error.js";
import { completion } from "../engine/complete.js";
import type { EngineContext } from "../engine/context.js";
import { failure } from "../engine/fail.js";
import type { Settlement } from "../store/claims.js";
import { RunContext } from "./context.js";
import type { AnyJobDefinition, PayloadSchema } from "./define-job.js";
import { validatePayload } from "./payload-schema.js";
import { JobTimeoutError, WorkerStoppingError, type AbortReason, type Run } from "./run.js";

export interface ExecutorEvents {
  /** How the claim ends; `null` when it was lost and nothing is to be said. Called once. */
  settled(run: Run, settlement: Settlement | null): void;
  /** The handler has returned, or is given up: its slot is free. Called once. */
  ended(run: Run, stuck: boolean): void;
}

/**
 * Runs one attempt: decode the payload, validate it, call the handler under its timeout, and turn
 * whatever happens into one settlement.
 */
export class Executor {
  constructor(
    private readonly context: EngineContext,
    private readonly definitions: ReadonlyMap<string, AnyJobDefinition>,
    private readonly events: ExecutorEvents,
  ) {}

  execute(run: Run): void {
    const attempt = new Attempt(this.context, run, this.events);
    attempt.begin(this.#call(run));
  }

  async #call(run: Run): Promise<unknown> {
    const definition = this.definitions.get(run.job.name);
    if (definition === undefined) {
      throw new Error(`This worker has no handler for jobs named ${run.job.name}`);
    }
    const decoded = decode(run.job.payload);
    let payload = decoded;
    if (definition.schema !== undefined) {
      payload = await valid(definition.schema, decoded);
      // The validator may have taken longer than the job was ours.
      run.checkLease();
      if (run.abortReason !== null) throw run.abortReason;
    }
    return definition.handler(new RunContext(run, payload, this.context.store.claims)) as unknown;
  }
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

/** The end of one attempt: by its handler, its timeout, or an abort, whichever is first. */
class Attempt {
  #ended = false;
  #cancelTimeout: (() => void) | null = null;
  #cancelGrace: (() => void) | null = null;
  readonly #began: number;

  constructor(
    private readonly context: EngineContext,
    private readonly run: Run,
    private readonly events: ExecutorEvents,
  ) {
    this.#began = context.clock.monotonic();
  }

  begin(outcome: Promise<unknown>): void {
    const { timeoutMs } = this.run.job;
    if (timeoutMs !== null) {
      this.#cancelTimeout = callAt(this.context.clock, this.#began + timeoutMs, () => {
        this.run.abort(new JobTimeoutError(timeoutMs));
      });
    }
    this.run.onAbort((reason) => {
      this.#aborted(reason);
    });
    outcome.then(
      (result) => {
        this.#settle(() => completion(this.run.job, result));
        this.#end(false);
      },
      (error: unknown) => {
        this.#settle(() => settlementFor(this.context, this.run, error));
        this.#end(false);
      },
    );
  }

  #aborted(reason: AbortReason): void {
    this.#cancelTimeout?.();
    // A timeout is decided. A stop may still be answered by a handler that finishes in its last moments.
    if (reason instanceof JobTimeoutError) {
      this.#settle(() => settlementFor(this.context, this.run, reason));
    }
    if (reason instanceof WorkerStoppingError) return;
    const { clock } = this.context;
    this.#cancelGrace = callAt(clock, clock.monotonic() + ABORT_GRACE_MS, () => {
      this.#settle(() => null);
      this.#end(true);
    });
  }

  #settle(decide: () => Settlement | null): void {
    this.#cancelTimeout?.();
    if (!this.run.takeDecision()) return;
    this.events.settled(this.run, this.run.lost === null ? decide() : null);
  }

  #end(stuck: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelGrace?.();
    this.events.ended(this.run, stuck);
  }
}

/** What a thrown value, or an abort, makes of the claim. */
function settlementFor(context: EngineContext, run: Run, thrown: unknown): Settlement {
  const { job, abortReason } = run;
  if (abortReason instanceof WorkerStoppingError) return { verb: "release", id: job.id, token: job.token };
  if (isA(thrown, Snooze)) {
    return { verb: "snooze", id: job.id, token: job.token, delayMs: clampDelayMs(thrown.delayMs) };
  }
  if (isA(thrown, JobTimeoutError)) {
    return failure(context, job, { outcome: "timed_out", error: describeError(thrown) });
  }
  if (abortReason instanceof LeaseLostError) {
    // Perhaps nobody took the job yet, and the store still takes this; then the attempt is used up.
    return failure(context, job, { outcome: "lost", error: describeError(thrown) });
  }
  const failed = { outcome: "failed", error: describeError(thrown) } as const;
  if (isA(thrown, NonRetryableError)) return failure(context, job, failed, "never");
  if (isA(thrown, RetryAfter)) return failure(context, job, failed, { delayMs: thrown.delayMs });
  return failure(context, job, failed);
}

/** Like `instanceof`, also for what cannot be asked: a revoked proxy, or one whose traps throw. */
function isA<Kind>(thrown: unknown, kind: new (...args: never[]) => Kind): thrown is Kind {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}
