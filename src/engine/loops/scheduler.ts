import type { EngineContext } from "../context.js";
import { fireDue, fireWaiting } from "../schedules/fire.js";
import { Loop } from "./loop.js";

/** The net under the timer for the next slot: clocks step, and other processes write schedules. */
const LONGEST_SLEEP_MS = 500;

/** Makes the jobs of schedules. Sleeps until the next slot is due; nudge it when a schedule was written. */
export function createScheduler(context: EngineContext): Loop {
  const { store, clock, health } = context;
  return new Loop(
    clock,
    async () => {
      // Those that waited go first: a later slot must not overtake them.
      await fireWaiting(context);
      const more = await fireDue(context);
      if (more) return 0;
      const next = await store.schedules.nextDue();
      if (next === null) return LONGEST_SLEEP_MS;
      // At least 1 ms: a timer that fires a moment early would find nothing and spin.
      return Math.min(Math.max(next - store.now(), 1), LONGEST_SLEEP_MS);
    },
    (error) => {
      health.failed(error, "the scheduler");
      return LONGEST_SLEEP_MS;
    },
  );
}
