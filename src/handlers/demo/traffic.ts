import { enqueue } from "../../engine/enqueue.js";
import type { EngineContext } from "../../engine/context.js";
import { Loop } from "../../engine/loops/loop.js";
import { DEMO_TEMPLATES, emailRequest, imageRequest } from "./requests.js";

const INTERVAL_MS = 4_000;
/** In one run of the server. A demo that is left alone must not fill the disk. */
const MOST_JOBS = 5_000;
/** Nobody works on the queue, so more jobs would only pile up. */
const MOST_PENDING = 20;

/** Enqueues a demo job now and then, so that there is something to see. */
export function createTraffic(context: EngineContext, intervalMs = INTERVAL_MS): Loop {
  let left = MOST_JOBS;
  return new Loop(
    context.clock,
    async () => {
      const image = context.random() < 0.3;
      const queue = await context.store.queues.get(image ? "images" : "emails");
      if (left > 0 && (queue?.counts.pending ?? 0) < MOST_PENDING) {
        left -= 1;
        await enqueue(context, image ? nextImage(context.random) : nextEmail(context.random));
      }
      return intervalMs;
    },
    (error) => {
      context.health.failed(error, "the demo");
      return intervalMs;
    },
  );
}

function nextEmail(random: () => number) {
  const template = DEMO_TEMPLATES[Math.floor(random() * DEMO_TEMPLATES.length)] ?? "receipt";
  const simulate = random() < 0.15 ? { failAttempts: 1, error: "421 the mail server is busy" } : {};
  return emailRequest(Math.floor(random() * 900) + 100, template, simulate);
}

function nextImage(random: () => number) {
  return imageRequest(Math.floor(random() * 900) + 100, { takesMs: 1_000 + Math.floor(random() * 9_000) });
}
