import type { Clock } from "../../core/clock.js";
import { LimitedQueues } from "../limits/limited-queues.js";
import type { StoreChange } from "../store.js";
import { Changes } from "./changes.js";
import type { Notifications } from "./notifications.js";

/** How often others are told at the most: a thousand commits in a second wake nobody a thousand times. */
const TELL_EVERY_MS = 20;

/** What is told when nobody knows what has happened. */
const ANYTHING: StoreChange = { queues: null, scheduled: true, schedules: true, events: true };

/**
 * Tells listeners that something they wait for may have happened. Own commits are known at once; those of other
 * processes come as notifications. They are sent after the commit and apart from it: a transaction that notifies
 * waits for all others that do. A process that dies in between leaves its commit untold, so everybody looks from
 * time to time.
 */
export class ChangeFeed {
  readonly limited: LimitedQueues;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #commitListeners = new Set<() => void>();
  #untold: Changes | null = null;
  #cancelTelling: (() => void) | null = null;
  #lastTold = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly notifications: Notifications,
  ) {
    this.limited = new LimitedQueues(clock, (queue) => {
      this.#tell({ queues: new Set([queue]), scheduled: false, schedules: false, events: false });
    });
  }

  /** After a commit of this process. */
  committed(changes: Changes): void {
    changes.wakeFreed(this.limited);
    this.notifications.committed(changes.latestDelta);
    this.#tellOthersSoon(changes);
    for (const listener of this.#commitListeners) listener();
    const told = changes.told();
    if (told !== null) this.#tell(told);
  }

  /** For who waits for something that is named in the change. */
  subscribe(listener: (change: StoreChange) => void): () => void {
    return this.#add(this.#listeners, listener);
  }

  /** For who wants to look whenever anything was written. */
  subscribeToCommits(listener: () => void): () => void {
    return this.#add(this.#commitListeners, listener);
  }

  /** Tells others what they were not told yet, and hears nothing more. */
  async stop(): Promise<void> {
    this.limited.stop();
    this.#cancelTelling?.();
    this.#tellOthers();
    this.notifications.pause();
    await this.notifications.sent();
  }

  #add<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
    listeners.add(listener);
    this.notifications.start((change) => {
      for (const each of this.#commitListeners) each();
      this.#tell(change ?? ANYTHING);
    });
    return () => {
      listeners.delete(listener);
      if (this.#listeners.size + this.#commitListeners.size === 0) this.notifications.pause();
    };
  }

  #tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #tellOthersSoon(changes: Changes): void {
    this.#untold ??= new Changes();
    this.#untold.addAll(changes);
    if (this.#cancelTelling !== null) return;
    const wait = this.#lastTold + TELL_EVERY_MS - this.clock.monotonic();
    if (wait <= 0) this.#tellOthers();
    else
      this.#cancelTelling = this.clock.setTimer(wait, () => {
        this.#tellOthers();
      });
  }

  #tellOthers(): void {
    this.#cancelTelling = null;
    this.#lastTold = this.clock.monotonic();
    if (this.#untold === null) return;
    this.notifications.send(this.#untold.told());
    this.#untold = null;
  }
}
