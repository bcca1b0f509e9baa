import { AsyncLocalStorage } from "node:async_hooks";
import { callAt } from "./clock.js";
import { MAX_KEY_LENGTH } from "./defaults.js";
import { KonveierError, LeaseLostError, type LeaseLossReason } from "./errors.js";
import { isKey } from "./names.js";
import { NonRetryableError } from "./outcomes.js";
import { encodeJson, resultProblemOf } from "./payload.js";
import type { Run } from "./run.js";

/** Whether a step is done; `result` is JSON text, `null` when it gave nothing. */
export type FoundStep = { readonly found: true; readonly result: string | null } | { readonly found: false };

/** Where the steps of running jobs are kept. Each method answers why the claim is lost, if it is. */
export interface StepKeeper {
  find(run: StepRun, name: string): Promise<FoundStep | LeaseLossReason>;
  store(run: StepRun, name: string, result: string | null): Promise<LeaseLossReason | null>;
}

type StepRun = Pick<Run["job"], "id" | "token">;

/** After an outage has been noticed, steps go on this soon after its end. */
const RETRY_MS = 500;

const enclosing = new AsyncLocalStorage<{ readonly steps: Steps; readonly name: string }>();

/** The durable steps of one attempt: what an earlier one has done is not done again. */
export class Steps {
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(
    private readonly run: Run,
    private readonly keeper: StepKeeper,
  ) {}

  /**
   * What `work` gave, in this attempt or in an earlier one. Always as it came back from JSON, so that an attempt that
   * skips the step sees what the one that ran it saw.
   */
  async step(name: string, work: () => unknown): Promise<unknown> {
    requireStepName(name);
    const outer = enclosing.getStore();
    if (outer?.steps === this && this.#running.has(outer.name)) {
      throw new Error(
        `Step "${name}" was called inside of step "${outer.name}". A step is done as a whole: call one after the other.`,
      );
    }
    const running = this.#running.get(name) ?? this.#begin(name, work);
    return running;
  }

  #begin(name: string, work: () => unknown): Promise<unknown> {
    const running = this.#once(name, work).finally(() => {
      this.#running.delete(name);
    });
    this.#running.set(name, running);
    return running;
  }

  async #once(name: string, work: () => unknown): Promise<unknown> {
    const { run, keeper } = this;
    const found = await this.#held(() => keeper.find(run.job, name));
    if (found.found) return decoded(found.result);
    run.checkLease();
    if (run.abortReason !== null) throw run.abortReason;
    const result = await enclosing.run({ steps: this, name }, work);
    const text = textOf(name, result);
    await this.#held(() => keeper.store(run.job, name, text));
    return decoded(text);
  }

  /**
   * Asks again while the store cannot answer and the lease may hold: the work of a step that was not stored would
   * be done twice.
   *
   * @throws LeaseLostError
   */
  async #held<Answer>(
    ask: () => Promise<Answer | LeaseLossReason>,
  ): Promise<Exclude<Answer, LeaseLossReason>> {
    const { run } = this;
    for (;;) {
      run.checkLease();
      try {
        const answer = run.lost ?? (await ask());
        if (!isLoss(answer)) return answer as Exclude<Answer, LeaseLossReason>;
        run.lose(answer);
        throw new LeaseLostError(run.job.id, run.job.token, answer);
      } catch (error) {
        if (!mayPass(error) || run.abortReason !== null) throw error;
      }
      await new Promise<void>((resolve) => {
        callAt(run.clock, run.clock.monotonic() + RETRY_MS, resolve);
      });
    }
  }
}

function isLoss(answer: unknown): answer is LeaseLossReason {
  return typeof answer === "string";
}

/** Of the store, or of a client: whether the same call can succeed later. */
function mayPass(error: unknown): boolean {
  return error instanceof Error && "retryable" in error && error.retryable === true;
}

/** @throws KonveierError `validation_failed` */
function requireStepName(name: unknown): void {
  if (isKey(name)) return;
  const detail = `must be 1 to ${MAX_KEY_LENGTH} printable characters`;
  throw new KonveierError("validation_failed", `The name of a step ${detail}.`, {
    faults: [{ pointer: "/name", code: "invalid_key", detail }],
  });
}

/** The work is done, and every further attempt would do it once more: the job must not have any. */
function textOf(name: string, result: unknown): string | null {
  if (result === undefined) return null;
  try {
    return encodeJson(result);
  } catch (error) {
    const problem = resultProblemOf(error);
    throw new NonRetryableError(`Step "${name}" is done, but what it gave cannot be stored: ${problem}`, {
      cause: error,
    });
  }
}

function decoded(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}
