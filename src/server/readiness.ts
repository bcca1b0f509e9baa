import { callAt } from "../core/clock.js";
import type { EngineContext } from "../engine/context.js";

/** Probes come from several sides at once; the database is asked once for all of them. */
const CACHE_MS = 1_000;
/** A write that succeeded is believed for so long. One that failed is tried again at the next check. */
const WRITE_MS = 10_000;
/** Less than probes usually wait, so that they get an answer and not a timeout. */
const ANSWER_MS = 2_000;

/** Whether this server should be sent requests: it is not stopping, and its database can be read and written. */
export class Readiness {
  #draining = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #check: Promise<boolean> = Promise.resolve(false);
  #asking = false;

  constructor(private readonly context: EngineContext) {}

  get draining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
  }

  async ready(): Promise<boolean> {
    if (this.#draining) return false;
    const now = this.context.clock.monotonic();
    if (now - this.#checkedAt >= CACHE_MS && !this.#asking) {
      this.#checkedAt = now;
      this.#check = this.#withinTime(this.#ask());
    }
    // A stop that began meanwhile counts.
    return (await this.#check) && !this.#draining;
  }

  /** False when the answer takes too long. It is still waited for, and nothing is asked meanwhile. */
  #withinTime(answer: Promise<boolean>): Promise<boolean> {
    const { clock } = this.context;
    return new Promise((resolve) => {
      const cancel = callAt(clock, clock.monotonic() + ANSWER_MS, () => {
        resolve(false);
      });
      answer
        .then(resolve, () => {
          resolve(false);
        })
        .finally(cancel);
    });
  }

  async #ask(): Promise<boolean> {
    const { store, health, clock } = this.context;
    this.#asking = true;
    try {
      await store.check();
      const now = clock.monotonic();
      if (now - this.#wroteAt < WRITE_MS) return true;
      await store.checkWrite();
      this.#wroteAt = now;
      health.wrote();
      return true;
    } catch (error) {
      this.#wroteAt = Number.NEGATIVE_INFINITY;
      health.failed(error, "the readiness check");
      return false;
    } finally {
      this.#asking = false;
    }
  }
}
