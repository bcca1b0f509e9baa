import type { EngineContext } from "../context.js";
import { Loop } from "./loop.js";

const INTERVAL_MS = 500;
/** Jobs that one transaction tells or opens: bounds how long others wait for it. */
const BATCH = 1_000;
/** Nobody takes so long to make a flow: whoever did it is gone. */
const UNMADE_AFTER_MS = 600_000;

/**
 * Goes on with what the transaction that ended a job left to do, because too many jobs waited for that one, and with
 * opening large flows. Removes flows that were not made to their end.
 */
export function createFlowKeeper({ store, clock, health }: EngineContext): Loop {
  return new Loop(
    clock,
    async () => {
      const done = await store.flows.goOn(BATCH);
      const removed = await store.flows.removeUnmade(UNMADE_AFTER_MS, BATCH);
      if (done + removed > 0) health.wrote();
      return done > 0 || removed === BATCH ? 0 : INTERVAL_MS;
    },
    (error) => {
      health.failed(error, "the flow keeper");
      return INTERVAL_MS;
    },
  );
}
