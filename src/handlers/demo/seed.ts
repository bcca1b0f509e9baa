import { cancel } from "../../engine/cancel.js";
import type { EngineContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";
import { seedFlows } from "./seed-flows.js";
import { seedSchedules } from "./seed-schedules.js";
import { seedRequests } from "./seed-requests.js";

/**
 * Fills an empty database with some hundred jobs that come to be in every state, a few schedules and flows. Several servers may do
 * this at once: the jobs have idempotency keys, so they are there once.
 *
 * @param hasHistory whether all jobs that are there are the demo's own
 * @returns how many jobs were enqueued
 */
export async function seedDemo(context: EngineContext, hasHistory = false): Promise<number> {
  const { store } = context;
  const { items } = await store.jobs.list({}, 1, null);
  if (items.length > 0 && !hasHistory) return 0;
  // First, so that a worker of another process does not take what shall be seen waiting.
  await store.queues.pause("newsletter", "Waits for the final text");
  const requests = seedRequests();
  const inserted = await enqueueMany(
    context,
    requests.map(({ request }) => request),
  );
  const fresh = inserted.filter(({ deduplicated }) => !deduplicated);
  for (const [index, { id, deduplicated }] of inserted.entries()) {
    if (!deduplicated && requests[index]?.cancelled === true) await cancel(context, id);
  }
  if (fresh.length === 0) return 0;
  await seedSchedules(context);
  return fresh.length + (await seedFlows(context));
}
