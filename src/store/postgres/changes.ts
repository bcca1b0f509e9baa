import type { LimitedQueues } from "../limits/limited-queues.js";
import type { StoreChange } from "../store.js";

/** What one transaction, or several together, did that somebody may wait for. */
export class Changes {
  readonly #queues = new Set<string>();
  readonly #freed = new Set<string>();
  #scheduled = false;
  #schedules = false;
  #events = false;
  /** Number of its bookkeeping; 0 when it has none. */
  latestDelta = 0;

  /** Jobs of this queue became claimable. */
  pending(queue: string): void {
    this.#queues.add(queue);
  }

  /** A running job of this queue came to an end. */
  freed(queue: string): void {
    this.#freed.add(queue);
  }

  /** What came to an end in queues with limits lets in other jobs, which other processes may wait for. */
  wakeFreed(limited: LimitedQueues): void {
    for (const queue of this.#freed) if (limited.mayHave(queue)) this.pending(queue);
  }

  /** A job was scheduled. */
  scheduled(): void {
    this.#scheduled = true;
  }

  /** A schedule was written or resumed. */
  schedules(): void {
    this.#schedules = true;
  }

  /** Events were written into the journal. */
  events(): void {
    this.#events = true;
  }

  addAll(others: Changes): void {
    for (const queue of others.#queues) this.#queues.add(queue);
    this.#scheduled ||= others.#scheduled;
    this.#schedules ||= others.#schedules;
    this.#events ||= others.#events;
  }

  /** `null`: nothing that anybody waits for. */
  told(): StoreChange | null {
    if (this.#queues.size === 0 && !this.#scheduled && !this.#schedules && !this.#events) return null;
    return {
      queues: this.#queues,
      scheduled: this.#scheduled,
      schedules: this.#schedules,
      events: this.#events,
    };
  }
}
