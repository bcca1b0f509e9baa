import { assertName } from "./core/names.js";
import type { QueueLimitsChange } from "./core/queue-limits.js";
import { editQueue, pauseQueue, resumeQueue } from "./engine/queues.js";
import type { Queue } from "./store/queues.js";
import type { Store } from "./store/store.js";

/** Looks at queues and pauses them: `konveier.queues`. */
export class Queues {
  constructor(private readonly store: Store) {}

  list(): Promise<readonly Queue[]> {
    return this.store.queues.list();
  }

  /** `null` when no job and no pause has named the queue. */
  get(name: string): Promise<Queue | null> {
    return this.store.queues.get(name);
  }

  /** No job of the queue is claimed until `resume`, in any process. Running jobs go on. */
  async pause(name: string, reason?: string): Promise<Queue> {
    assertName("queue", name);
    return pauseQueue(this.store, name, reason ?? null);
  }

  async resume(name: string): Promise<Queue> {
    assertName("queue", name);
    return resumeQueue(this.store, name);
  }

  /**
   * Changes limits of the queue, in all processes at once: what is left out stays, `null` takes a limit away. Jobs that
   * wait stay.
   *
   * @throws KonveierError `validation_failed`
   */
  async limit(name: string, change: QueueLimitsChange): Promise<Queue> {
    assertName("queue", name);
    return editQueue(this.store, name, change);
  }
}
