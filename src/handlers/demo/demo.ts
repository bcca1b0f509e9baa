import type { EngineContext } from "../../engine/context.js";
import { createFlow } from "./flow.js";
import { seedDemo } from "./seed.js";

export interface Demo {
  /** Jobs that were enqueued now. */
  readonly seeded: number;
  stop(): Promise<void>;
}

/** Fills an empty database with demo jobs, and keeps some coming until it is stopped. */
export async function startDemo(context: EngineContext): Promise<Demo> {
  const seeded = await seedDemo(context);
  const flow = createFlow(context);
  flow.start();
  return { seeded, stop: () => flow.stop() };
}
