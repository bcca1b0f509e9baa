import type { EngineContext } from "../context.js";
import { Loop } from "./loop.js";

const BATCH = 500;
/** The net under the timer for the next job that expires: clocks step, and any process may enqueue one that does sooner. */
const LONGEST_SLEEP_MS = 1_000;

/** Cancels jobs that have not started in time. No claim hands one out meanwhile. */
export function createExpirer(context: EngineContext): Loop {
  const { store, clock, health, events } = context;
  return new Loop(
    clock,
    async () => {
      const cancelled = await store.expiry.cancelDue(BATCH);
      for (const { id, queue, name } of cancelled) events.emit("job.cancelled", { id, queue, name });
      if (cancelled.length > 0) health.wrote();
      if (cancelled.length === BATCH) return 0;
      const next = await store.expiry.next();
      if (next === null) return LONGEST_SLEEP_MS;
      // At least 1 ms: a timer that fires a moment early would find nothing and spin.
      return Math.min(Math.max(next - store.now(), 1), LONGEST_SLEEP_MS);
    },
    (error) => {
      health.failed(error, "the expirer");
      return LONGEST_SLEEP_MS;
    },
  );
}
