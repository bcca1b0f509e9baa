import { PauseBody, QueueParams } from "../../api/queue.js";
import { MAX_REASON_LENGTH } from "../../core/defaults.js";
import { KonveierError } from "../../core/errors.js";
import { storableText } from "../../core/storable-text.js";
import { unhandledNames } from "../../engine/unhandled.js";
import type { Queue } from "../../store/queues.js";
import type { Store } from "../../store/store.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { queueView } from "../views/queue.js";

export function queueRoutes(app: App, { context }: Services): void {
  const { store } = context;

  app.get("/v1/queues", async () => ({ items: (await store.queues.list()).map(queueView) }));

  app.get("/v1/queues/:name", { schema: { params: QueueParams } }, async ({ params }) => {
    const queue = await existing(store, params.name);
    const unhandled = await unhandledNames(store);
    return {
      ...queueView(queue),
      unhandled: unhandled
        .filter((entry) => entry.queue === queue.name)
        .map(({ name, pending }) => ({ name, pending })),
    };
  });

  // May name a queue that is still to come, so that it is paused when its first job arrives.
  app.post(
    "/v1/queues/:name/pause",
    { schema: { params: QueueParams, body: PauseBody } },
    async ({ params, body }) => {
      const reason = body.reason === undefined ? null : storableText(body.reason, MAX_REASON_LENGTH);
      return queueView(await store.queues.pause(params.name, reason));
    },
  );

  app.post("/v1/queues/:name/resume", { schema: { params: QueueParams } }, async ({ params }) => {
    await existing(store, params.name);
    return queueView(await store.queues.resume(params.name));
  });
}

async function existing(store: Store, name: string): Promise<Queue> {
  const queue = await store.queues.get(name);
  if (queue === null)
    throw new KonveierError("not_found", `No job and no pause has named the queue ${name}.`);
  return queue;
}
