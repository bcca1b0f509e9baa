import type { Clock } from "../../src/core/clock.js";
import { settled } from "./settled.js";

/** A Monday. */
export const T0 = Date.UTC(2026, 0, 5);

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Above this Node's own timers fire after 1 ms instead. */
const LONGEST_NODE_TIMER_MS = 2 ** 31 - 1;

/** Time that passes only when a test says so. Timers run in the order in which they are due. */
export class FakeClock implements Clock {
  #wall: number;
  /** Far from 0, so that mixing it up with wall time or with a duration shows. */
  #monotonic = 1_000_000;
  readonly #timers = new Set<Timer>();
  /** How much too early timers come. Each comes at least 1 ms after it was set, unless it is due at once. */
  earlyMs = 0;

  constructor(wall = T0) {
    this.#wall = wall;
  }

  now(): number {
    // Whole milliseconds, like Date.now().
    return Math.floor(this.#wall);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    if (!(delayMs >= 0 && delayMs <= LONGEST_NODE_TIMER_MS)) {
      throw new RangeError(`A timer of ${delayMs} ms would fire at once in Node`);
    }
    const early = Math.max(delayMs - this.earlyMs, Math.min(delayMs, 1));
    const timer = { due: this.#monotonic + early, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Timers that are set. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass. Whatever a timer begins is finished before the next timer runs. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (;;) {
      const timer = this.#next();
      if (timer === undefined || timer.due > end) break;
      this.#pass(Math.max(0, timer.due - this.#monotonic));
      this.#timers.delete(timer);
      timer.callback();
      await settled();
    }
    this.#pass(Math.max(0, end - this.#monotonic));
    await settled();
  }

  /** Time passes while the event loop is blocked or the process is suspended: no timer runs. */
  block(ms: number): void {
    this.#pass(ms);
  }

  /** Somebody sets the wall clock; no time passes. */
  stepWall(ms: number): void {
    this.#wall += ms;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }

  #pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }
}
