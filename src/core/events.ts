import type { BulkAction } from "./bulk-action.js";
import type { LeaseLossReason } from "./errors.js";
import type { Instant } from "./job.js";
import type { StoredError } from "./stored-error.js";

/** Which job and attempt an event is about. */
export interface JobFact {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly attempt: number;
  readonly token: number;
  readonly workerId: string;
}

/**
 * What happens in this process, by name. The engine and the worker only say what happened; whoever
 * writes logs or forwards events subscribes.
 */
export interface EventMap {
  "job.completed": JobFact & { readonly durationMs: number; readonly resultProblem: string | null };
  "job.retrying": JobFact & { readonly error: StoredError; readonly delayMs: number };
  "job.dead": JobFact & { readonly error: StoredError };
  /** Its lease ended without a word from the worker. The attempt counts. */
  "job.lost": JobFact & { readonly next: "retrying" | "dead" };
  "job.released": JobFact;
  "job.snoozed": JobFact & { readonly delayMs: number };
  /** The handler waits for these jobs of its flow. */
  "job.waiting": JobFact & { readonly refs: readonly string[] };
  "job.cancelled": { readonly id: string; readonly queue: string; readonly name: string };
  /** A claim of this process is no longer the current one: its handler is aborted, its outcome dropped. */
  "lease.lost": JobFact & { readonly reason: LeaseLossReason };
  /** A handler went on after its signal had aborted. Its slot was given to others. */
  "handler.stuck": JobFact;
  /** Pending jobs that no worker can run. */
  "jobs.unhandled": { readonly queue: string; readonly name: string; readonly pending: number };
  "schedule.fired": { readonly key: string; readonly slot: Instant; readonly jobId: string };
  /** A job of the schedule had not ended, and its policy allows no second one. */
  "schedule.skipped": { readonly key: string; readonly slot: Instant };
  /** Slots passed while no process fired them, and make no job. */
  "schedule.missed": { readonly key: string; readonly from: Instant; readonly through: Instant };
  /** A schedule cannot go on, such as when its time zone is not known on this machine. */
  "schedule.stopped": { readonly key: string; readonly problem: string };
  /** A bulk operation has come to its end. */
  "operation.completed": { readonly id: string; readonly action: BulkAction; readonly changed: number };
  "worker.started": {
    readonly workerId: string;
    readonly queues: readonly string[];
    readonly names: readonly string[];
  };
  "worker.stopped": { readonly workerId: string; readonly released: number };
  /** The store does not answer; said again every ten seconds while that lasts. */
  "store.unavailable": { readonly error: unknown };
  "store.recovered": { readonly after: "outage" };
  /** A defect: something failed that should not be able to. */
  "internal.error": { readonly error: unknown; readonly during: string };
}

export type EventName = keyof EventMap;
type Listener<Name extends EventName> = (event: EventMap[Name]) => unknown;

/** Tells listeners what happened. A listener that throws or rejects harms nothing and nobody else. */
export class Events {
  readonly #listeners = new Map<EventName, Set<Listener<never>>>();

  /** Calls `listener` at every event of this name, until the returned function is called. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    let listeners = this.#listeners.get(name);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(name, listeners);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Whether anybody listens: on hot paths, ask before making an event. */
  wants(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends EventName>(name: Name, event: EventMap[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    for (const listener of listeners) {
      try {
        const answer = (listener as Listener<Name>)(event);
        if (answer instanceof Promise) {
          answer.catch((error: unknown) => {
            this.#listenerFailed(name, error);
          });
        }
      } catch (error) {
        this.#listenerFailed(name, error);
      }
    }
  }

  #listenerFailed(name: EventName, error: unknown): void {
    // A failing listener of this very event must not call itself for ever.
    if (name !== "internal.error") {
      this.emit("internal.error", { error, during: `a listener of ${name}` });
    }
  }
}
