import type { Clock } from "../core/clock.js";
import { isStoreError } from "../core/errors.js";
import type { Events } from "../core/events.js";

const REMIND_MS = 10_000;

/**
 * Whether the background work of this process reaches the store. An outage is told when it begins,
 * every ten seconds while it lasts, and when it ends, however many loops and workers meet it. Where some
 * calls work and others fail, outages begin and end all the time: these too are told at most every ten
 * seconds.
 */
export class StoreHealth {
  #down = false;
  /** Whether the present outage has been told. */
  #told = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

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
    this.#down = true;
    const now = this.clock.monotonic();
    this.#failedAt = now;
    if (now - this.#toldAt < REMIND_MS) return;
    this.#toldAt = now;
    this.#told = true;
    this.events.emit("store.unavailable", { error });
  }

  /** Background work wrote something. A read proves nothing: it works on a full disk too. */
  wrote(): void {
    if (!this.#down) return;
    this.#down = false;
    if (!this.#told) return;
    this.#told = false;
    this.events.emit("store.recovered", { after: "outage" });
  }

  /** Milliseconds since background work last met an outage. */
  sinceFailureMs(): number {
    return this.clock.monotonic() - this.#failedAt;
  }
}
