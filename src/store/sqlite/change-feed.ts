import type { Clock } from "../../core/clock.js";
import { LimitedQueues } from "../limits/limited-queues.js";
import type { StoreChange } from "../store.js";
import type { Connection } from "./connection.js";

/** How often another process's commits are looked for: a few microseconds each time. */
const POLL_MS = 20;

/**
 * Tells listeners that something they wait for may have happened. Own commits are known; those of other processes
 * show in `PRAGMA data_version`, a number in shared memory, so an idle database is never searched.
 */
export class ChangeFeed {
  readonly limited: LimitedQueues;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  readonly #commitListeners = new Set<() => void>();
  #queues = new Set<string>();
  #scheduled = false;
  #schedules = false;
  #events = false;
  #version = 0;
  #cancelPoll: (() => void) | null = null;
  readonly #dataVersion;

  constructor(
    db: Connection,
    private readonly clock: Clock,
  ) {
    this.limited = new LimitedQueues(clock, (queue) => {
      this.#tell({ queues: new Set([queue]), scheduled: false, schedules: false, events: false });
    });
    this.#dataVersion = db.prepare<[], { data_version: number }>("PRAGMA data_version");
  }

  /** Inside a transaction: jobs of this queue became claimable. A rollback only makes it a needless call. */
  pending(queue: string): void {
    this.#queues.add(queue);
  }

  /** Inside a transaction: a running job of this queue came to an end. */
  freed(queue: string): void {
    if (this.limited.has(queue)) this.pending(queue);
  }

  /** Inside a transaction: a job was scheduled. */
  scheduled(): void {
    this.#scheduled = true;
  }

  /** Inside a transaction: a schedule was written or resumed. */
  schedules(): void {
    this.#schedules = true;
  }

  /** Inside a transaction: events were written into the journal. */
  events(): void {
    this.#events = true;
  }

  /** After a commit of this process. */
  publish(): void {
    this.#tellCommit();
    if (this.#queues.size === 0 && !this.#scheduled && !this.#schedules && !this.#events) return;
    const change = {
      queues: this.#queues,
      scheduled: this.#scheduled,
      schedules: this.#schedules,
      events: this.#events,
    };
    this.#queues = new Set();
    this.#scheduled = false;
    this.#schedules = false;
    this.#events = false;
    this.#tell(change);
  }

  /** For who waits for something that is named in the change. */
  subscribe(listener: (change: StoreChange) => void): () => void {
    return this.#add(this.#listeners, listener);
  }

  /** For who wants to look whenever anything was written. */
  subscribeToCommits(listener: () => void): () => void {
    return this.#add(this.#commitListeners, listener);
  }

  stop(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = null;
    this.limited.stop();
  }

  #add<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
    listeners.add(listener);
    if (this.#cancelPoll === null) {
      this.#version = this.#readVersion();
      this.#poll();
    }
    return () => {
      listeners.delete(listener);
      if (this.#listeners.size + this.#commitListeners.size === 0) this.stop();
    };
  }

  #poll(): void {
    this.#cancelPoll = this.clock.setTimer(POLL_MS, () => {
      this.#poll();
      const version = this.#readVersion();
      if (version === this.#version) return;
      this.#version = version;
      this.#tellCommit();
      this.#tell({ queues: null, scheduled: true, schedules: true, events: true });
    });
  }

  /** A database that cannot be read wakes its listeners: they meet the error, and know what to do. */
  #readVersion(): number {
    try {
      return this.#dataVersion.get()?.data_version ?? -1;
    } catch {
      return -1;
    }
  }

  #tellCommit(): void {
    for (const listener of this.#commitListeners) listener();
  }

  #tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
