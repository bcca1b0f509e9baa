import { isStoreError } from "../core/errors.js";
import { completion } from "../engine/complete.js";
import type { EngineContext } from "../engine/context.js";
import { tellSettled } from "../engine/tell-settled.js";
import type { Settled, Settlement } from "../store/claims.js";
import type { Run } from "../core/run.js";

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

const NEVER_TAKEN = { ok: false, reason: "reclaimed" } as const;

interface Acknowledgement {
  readonly run: Run;
  readonly settlement: Settlement;
}

/**
 * Tells the store how attempts ended, many at once. While the store cannot be written the outcomes wait
 * here and are said again: the work is done, and forgetting that would do it twice.
 */
export class Acknowledger {
  #waiting: Acknowledgement[] = [];
  #sending = 0;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: (() => void) | null = null;
  #stopped = false;

  constructor(
    private readonly context: EngineContext,
    private readonly workerId: string,
    /** The store has answered for this run, one way or the other. */
    private readonly onDone: (run: Run, settlement: Settlement, settled: Settled) => void,
  ) {}

  get pending(): number {
    return this.#waiting.length + this.#sending;
  }

  add(run: Run, settlement: Settlement): void {
    this.#waiting.push({ run, settlement });
  }

  /** Sends what has been added. Does nothing while a failed batch waits for its next try. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#cancelRetry !== null) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#sending += batch.length;
    this.#send(batch);
  }

  #send(batch: readonly Acknowledgement[]): void {
    this.context.store.claims
      .settle(batch.map(({ settlement }) => settlement))
      .then(
        (settled) => {
          this.#sending -= batch.length;
          this.#retryMs = FIRST_RETRY_MS;
          this.context.health.wrote();
          for (const [index, acknowledgement] of batch.entries())
            this.#answered(acknowledgement, settled[index]);
        },
        (error: unknown) => {
          this.#sending -= batch.length;
          this.#failed(batch, error);
        },
      )
      .catch((error: unknown) => {
        this.context.events.emit("internal.error", { error, during: "acknowledging finished jobs" });
      });
  }

  #answered({ run, settlement }: Acknowledgement, settled: Settled | undefined): void {
    if (settled === undefined) return;
    if (!settled.ok && run.completedWithin && settlement.verb !== "complete") {
      this.#sayCompleted(run);
      return;
    }
    if (settled.ok) tellSettled(this.context, run.job, this.workerId, settlement);
    this.onDone(run, settlement, settled);
  }

  /**
   * The handler has completed the job in a transaction, and another end was refused: because that was committed, or
   * because the claim is lost. Saying it once more finds out, and changes nothing.
   */
  #sayCompleted(run: Run): void {
    this.add(run, completion(run.job, undefined));
    this.flush();
  }

  #failed(batch: readonly Acknowledgement[], error: unknown): void {
    this.context.health.failed(error, "acknowledging finished jobs");
    if (isStoreError(error)) this.#retryLater(batch);
    else if (batch.length > 1) this.#sendEach(batch);
    // Nothing can be said about this one: its lease ends by itself, and the attempt counts as lost.
    else for (const { run, settlement } of batch) this.onDone(run, settlement, NEVER_TAKEN);
  }

  /** One of them cannot be written: each for itself, so that the others are. */
  #sendEach(batch: readonly Acknowledgement[]): void {
    this.#sending += batch.length;
    for (const acknowledgement of batch) this.#send([acknowledgement]);
  }

  #retryLater(batch: readonly Acknowledgement[]): void {
    if (this.#stopped) return;
    this.#waiting = [...batch, ...this.#waiting];
    this.#cancelRetry ??= this.context.clock.setTimer(this.#retryMs, () => {
      this.#cancelRetry = null;
      this.flush();
    });
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  /** Gives up what could not be said: the leases end by themselves. */
  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#waiting = [];
  }
}
