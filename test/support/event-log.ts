import type { EventMap, EventName } from "../../src/core/events.js";

/** Whatever can be listened to: `Events` and `Konveier`. */
interface Source {
  on<Name extends EventName>(name: Name, listener: (event: EventMap[Name]) => unknown): () => void;
}

/** A record, so that a new event which is missing here does not compile. */
const EVENTS: Record<EventName, true> = {
  "job.completed": true,
  "job.retrying": true,
  "job.dead": true,
  "job.lost": true,
  "job.released": true,
  "job.snoozed": true,
  "job.waiting": true,
  "job.cancelled": true,
  "lease.lost": true,
  "handler.stuck": true,
  "jobs.unhandled": true,
  "schedule.fired": true,
  "schedule.skipped": true,
  "schedule.missed": true,
  "schedule.stopped": true,
  "operation.completed": true,
  "worker.started": true,
  "worker.stopped": true,
  "store.unavailable": true,
  "store.recovered": true,
  "internal.error": true,
};

/** Keeps every event of a source, in order. */
export class EventLog {
  readonly #entries: { readonly name: EventName; readonly event: EventMap[EventName] }[] = [];

  constructor(source: Source) {
    for (const name of Object.keys(EVENTS) as EventName[]) {
      source.on(name, (event) => {
        this.#entries.push({ name, event });
      });
    }
  }

  /** Names of what happened. */
  get names(): EventName[] {
    return this.#entries.map(({ name }) => name);
  }

  /** All events of one name. */
  of<Name extends EventName>(name: Name): EventMap[Name][] {
    return this.#entries.filter((entry) => entry.name === name).map(({ event }) => event as EventMap[Name]);
  }

  /** Names of the events about one job. */
  about(id: string): EventName[] {
    return this.#entries.filter(({ event }) => "id" in event && event.id === id).map(({ name }) => name);
  }
}
