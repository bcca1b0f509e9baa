import type { EngineContext } from "../../engine/context.js";
import { seedDemo } from "./seed.js";
import { createTraffic } from "./traffic.js";

export interface Demo {
  /** Jobs that were enqueued now. */
  readonly seeded: number;
  stop(): Promise<void>;
}

/**
 * Fills an empty database with demo jobs, and keeps some coming until it is stopped.
 *
 * @param hasHistory whether all jobs that are there are the demo's own
 */
export async function startDemo(context: EngineContext, hasHistory = false): Promise<Demo> {
  const seeded = await seedDemo(context, hasHistory);
  const traffic = createTraffic(context);
  traffic.start();
  return { seeded, stop: () => traffic.stop() };
}
