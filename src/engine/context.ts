import type { BackoffFunction } from "../core/backoff.js";
import { systemClock, type Clock } from "../core/clock.js";
import { Events } from "../core/events.js";
import { guardTracer, type Tracer } from "../core/tracing.js";
import type { Store } from "../store/store.js";
import { JournalReader } from "./events/journal-reader.js";
import { LiveReader } from "./live/live-reader.js";
import { StoreHealth } from "./store-health.js";

/** What every use case works with. */
export interface EngineContext {
  readonly store: Store;
  readonly clock: Clock;
  /** From 0 up to 1, as `Math.random`. Spreads retries. */
  readonly random: () => number;
  readonly events: Events;
  readonly health: StoreHealth;
  readonly journal: JournalReader;
  readonly live: LiveReader;
  /** Backoff functions by job name, of the jobs that this process defines. */
  readonly backoffFunctions: Map<string, BackoffFunction>;
  /** `null`: nothing is traced. */
  readonly tracer: Tracer | null;
}

export function createContext(
  store: Store,
  {
    clock = systemClock,
    random = Math.random,
    tracing,
  }: { clock?: Clock; random?: () => number; tracing?: Tracer | undefined } = {},
): EngineContext {
  const events = new Events();
  const health = new StoreHealth(clock, events);
  return {
    store,
    clock,
    random,
    events,
    health,
    journal: new JournalReader(store, clock, health),
    live: new LiveReader(store, clock, health),
    backoffFunctions: new Map(),
    tracer: tracing === undefined ? null : guardTracer(tracing, reportTo(events)),
  };
}

function reportTo(events: Events): (error: unknown) => void {
  return (error) => {
    events.emit("internal.error", { error, during: "tracing" });
  };
}
