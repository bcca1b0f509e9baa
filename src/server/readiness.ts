import type { EngineContext } from "../engine/context.js";

/** Probes come from several sides at once; the database is asked once for all of them. */
const CACHE_MS = 1_000;

/** Whether this server should be sent requests: it is not stopping, and its database answers. */
export class Readiness {
  #draining = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #check: Promise<boolean> = Promise.resolve(false);

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
    if (now - this.#checkedAt >= CACHE_MS) {
      this.#checkedAt = now;
      this.#check = this.#ask();
    }
    return this.#check;
  }

  async #ask(): Promise<boolean> {
    try {
      await this.context.store.check();
      return true;
    } catch (error) {
      this.context.health.failed(error, "the readiness check");
      return false;
    }
  }
}
