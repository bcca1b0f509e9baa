import { callAt, type Clock } from "../../core/clock.js";
import type { Instant } from "../../core/job.js";

/** More names are not remembered: they come from users. */
const MAX_REMEMBERED = 1_000;

/**
 * Queues of which this process knows that they are claimed within limits. Who waits for jobs of them is woken when a job
 * ends, and when a rate or a hold lets in the next one. What is not known here costs a wait until the next poll.
 */
export class LimitedQueues {
  readonly #known = new Set<string>();
  readonly #plain = new Set<string>();
  readonly #timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();

  constructor(
    private readonly clock: Clock,
    private readonly wake: (queue: string) => void,
  ) {}

  remember(queue: string): void {
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.add(queue);
    this.#plain.delete(queue);
  }

  /** A claim has seen that the queue has no limits. */
  rememberPlain(queue: string): void {
    if (this.#plain.size >= MAX_REMEMBERED) this.#plain.clear();
    this.#plain.add(queue);
    this.#known.delete(queue);
  }

  /** Whether the queue may have limits. One may that this process has not claimed from. */
  mayHave(queue: string): boolean {
    return !this.#plain.has(queue);
  }

  has(queue: string): boolean {
    return this.#known.has(queue);
  }

  /** Wakes who waits for jobs of the queue at the instant `at`, or earlier when that was asked for before. */
  wakeAt(queue: string, at: Instant, now: Instant): void {
    const due = this.clock.monotonic() + Math.max(0, at - now);
    const set = this.#timers.get(queue);
    if (set !== undefined && set.at <= due) return;
    if (set === undefined && this.#timers.size >= MAX_REMEMBERED) return;
    set?.cancel();
    const cancel = callAt(this.clock, due, () => {
      this.#timers.delete(queue);
      this.wake(queue);
    });
    this.#timers.set(queue, { at: due, cancel });
  }

  stop(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
