import type { EngineContext } from "../context.js";
import { Loop } from "./loop.js";

/** How often a process looks for operations that another one started. */
const INTERVAL_MS = 500;
const BATCH = 10;

/** Carries bulk operations on, a step at a time, so that everything else gets its turn in between. */
export function createBulkRunner(context: EngineContext): Loop {
  const { store, clock, health } = context;
  return new Loop(
    clock,
    async () => {
      for (const id of await store.operations.due(BATCH)) await takeStep(context, id);
      const next = await store.operations.nextDue();
      return next === null ? INTERVAL_MS : Math.min(INTERVAL_MS, Math.max(0, next - store.now()));
    },
    (error) => {
      health.failed(error, "a bulk operation");
      return INTERVAL_MS;
    },
  );
}

async function takeStep({ store, events }: EngineContext, id: string): Promise<void> {
  const step = await store.operations.step(id);
  if (step === null) return;
  const { operation, jobs } = step;
  if (operation.action === "cancel") {
    for (const { id: jobId, queue, name } of jobs) events.emit("job.cancelled", { id: jobId, queue, name });
  }
  if (operation.state === "completed") {
    const { action, changed } = operation;
    events.emit("operation.completed", { id, action, changed });
  }
}
