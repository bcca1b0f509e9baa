import type { EngineContext } from "../context.js";
import { Loop } from "./loop.js";

const BATCH = 500;
/** The net under the timer for the next due job: clocks step, and other processes schedule jobs. */
const LONGEST_SLEEP_MS = 500;

/**
 * Makes scheduled jobs claimable when they are due. Sleeps until the next one is; nudge it when a job
 * was scheduled.
 */
export function createPromoter(context: EngineContext): Loop {
  const { store, clock, health } = context;
  return new Loop(
    clock,
    async () => {
      const promoted = await store.claims.promote(BATCH);
      if (promoted > 0) health.wrote();
      if (promoted === BATCH) return 0;
      const next = await store.claims.nextDue();
      if (next === null) return LONGEST_SLEEP_MS;
      // At least 1 ms: a timer that fires a moment early would find nothing and spin.
      return Math.min(Math.max(next - store.now(), 1), LONGEST_SLEEP_MS);
    },
    (error) => {
      health.failed(error, "the promoter");
      return LONGEST_SLEEP_MS;
    },
  );
}
