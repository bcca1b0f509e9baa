import type { Clock } from "../core/clock.js";
import { isStoreError } from "../core/errors.js";
import type { Events } from "../core/events.js";

const REMIND_MS = 10_000;

/**
 * Whether the background work of this process reaches the store. An outage is told when it begins,
 * every ten seconds while it lasts, and when it ends, however many loops and workers meet it.
 */
export class StoreHealth {
  #saidAt: number | null = null;
  #recoveredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly events: Events,
  ) {}

  /** Background work failed. An error that is not the store's is a defect and told every time. */
  failed(error: unknown, during: string): void {
    if (!isStoreError(error)) {
      this.events.emit("internal.error", { error, during });
      return;
    }
    if (error.code === "store_closed") return;
    const now = this.clock.monotonic();
    if (this.#saidAt !== null && now - this.#saidAt < REMIND_MS) return;
    this.#saidAt = now;
    this.events.emit("store.unavailable", { error });
  }

  worked(): void {
    if (this.#saidAt === null) return;
    this.#saidAt = null;
    this.#recoveredAt = this.clock.monotonic();
    this.events.emit("store.recovered", { after: "outage" });
  }

  /** Milliseconds since the last outage ended; 0 while one lasts. */
  steadyForMs(): number {
    return this.#saidAt === null ? this.clock.monotonic() - this.#recoveredAt : 0;
  }
}
