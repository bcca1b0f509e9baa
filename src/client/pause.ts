import type { Clock } from "../core/clock.js";
import { callAt } from "../core/clock.js";
import { ApiError } from "./errors.js";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the try after failure number `failures` (from 1): a random time up to 0.5 s,
 * doubled with every failure up to 30 s, and no less than the server asked for.
 */
export function pauseMs(failures: number, error: unknown, random: () => number): number {
  const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  return asked + random() * Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

/** Resolves after `ms`; rejects with the signal's reason when that aborts first. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = callAt(clock, clock.monotonic() + ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
