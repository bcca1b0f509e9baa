import { callAt, type Clock } from "./clock.js";
import { ABORT_GRACE_MS } from "./defaults.js";

/** How long the last outcomes may take to reach the store before they are given up. */
const LAST_WORDS_MS = 5_000;

/** What a stop needs of the worker that it stops. */
export interface Stoppable {
  /** Resolves when the start and the claim that are on their way have arrived, whatever they brought. */
  arrivals(): Promise<unknown>;
  /** Whether a handler still runs. */
  busy(): boolean;
  /** Whether an outcome has not reached the store yet. */
  unsaid(): boolean;
  /** Calls `listener` whenever one of the two may have changed. */
  whenChanged(listener: () => void): void;
  abort(): void;
  /** Gives back the jobs whose handlers did not end. */
  releaseRest(): void;
  close(): Promise<void>;
}

export interface Stopping {
  /** Shortens the time that handlers have left; never lengthens it. */
  within(graceMs: number): void;
  readonly done: Promise<void>;
}

/**
 * The steps of a stop, in order: let what is on its way arrive, wait for handlers, abort them, give
 * back the rest, let the last outcomes reach the store, close.
 */
export function stopWorker(clock: Clock, worker: Stoppable): Stopping {
  let deadline = Number.POSITIVE_INFINITY;
  let wake = (): void => undefined;
  worker.whenChanged(() => {
    wake();
  });

  /** Resolves when `condition` is false or the deadline has come, which may be moved meanwhile. */
  const wait = async (condition: () => boolean, until: () => number): Promise<void> => {
    while (condition() && clock.monotonic() < until()) {
      await new Promise<void>((resolve) => {
        const cancel =
          until() === Number.POSITIVE_INFINITY ? () => undefined : callAt(clock, until(), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  };
  const waitAtMost = async (condition: () => boolean, ms: number): Promise<void> => {
    const end = clock.monotonic() + ms;
    await wait(condition, () => end);
  };

  const steps = async (): Promise<void> => {
    await worker.arrivals();
    await wait(
      () => worker.busy(),
      () => deadline,
    );
    if (worker.busy()) {
      worker.abort();
      await waitAtMost(() => worker.busy(), ABORT_GRACE_MS);
    }
    worker.releaseRest();
    await waitAtMost(() => worker.unsaid(), LAST_WORDS_MS);
    await worker.close();
  };

  return {
    within(graceMs) {
      deadline = Math.min(deadline, clock.monotonic() + graceMs);
      wake();
    },
    done: steps(),
  };
}
