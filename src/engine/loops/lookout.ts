import type { EngineContext } from "../context.js";
import { unhandledNames } from "../unhandled.js";
import { Loop } from "./loop.js";

const INTERVAL_MS = 30_000;

/** Tells once when pending jobs begin to wait for a worker that nobody runs. */
export function createLookout(context: EngineContext): Loop {
  let told = new Set<string>();
  let first = true;
  return new Loop(
    context.clock,
    async () => {
      // Workers that start together with this loop have not reported yet.
      if (first) {
        first = false;
        return INTERVAL_MS;
      }
      const unhandled = await unhandledNames(context.store);
      for (const entry of unhandled) {
        if (!told.has(keyOf(entry))) context.events.emit("jobs.unhandled", entry);
      }
      told = new Set(unhandled.map(keyOf));
      return INTERVAL_MS;
    },
    (error) => {
      context.health.failed(error, "the lookout for unhandled jobs");
      return INTERVAL_MS;
    },
  );
}

function keyOf({ queue, name }: { queue: string; name: string }): string {
  return `${queue} ${name}`;
}
