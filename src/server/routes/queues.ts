import {
  PauseBody,
  QueueDetailView,
  QueueListView,
  QueueParams,
  QueuePatchBody,
  QueueView,
} from "../../api/queue.js";
import { KonveierError } from "../../core/errors.js";
import { coversQueue } from "../../core/queue-globs.js";
import { editQueue, pauseQueue, resumeQueue } from "../../engine/queues.js";
import { unhandledNames } from "../../engine/unhandled.js";
import type { Queue } from "../../store/queues.js";
import type { Store } from "../../store/store.js";
import { identityOf } from "../access/guard.js";
import { covers, requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { checkPresence, expectedVersion, tag } from "../etag.js";
import type { Services } from "../services.js";
import { queueView } from "../views/queue.js";

const tags = ["queues"];

export function queueRoutes(app: App, services: Services): void {
  queueReadRoutes(app, services);
  queueEditRoutes(app, services);
}

function queueReadRoutes(app: App, { context: { store }, heavyReads }: Services): void {
  app.get(
    "/v1/queues",
    {
      schema: {
        operationId: "listQueues",
        summary: "All queues, by name.",
        tags,
        response: { 200: QueueListView },
      },
      config: { access: "read" },
    },
    async (request, reply) => {
      const { queues: globs } = identityOf(request);
      return heavyReads.answer(reply, ["queues", globs], async () => {
        const queues = await store.queues.list();
        return { items: queues.filter(({ name }) => coversQueue(globs, name)).map(queueView) };
      });
    },
  );

  app.get(
    "/v1/queues/:name",
    {
      schema: {
        operationId: "getQueue",
        summary: "One queue, and what waits in it that no worker handles.",
        tags,
        params: QueueParams,
        response: { 200: QueueDetailView },
      },
      config: { access: "read", problems: ["not_found"] },
    },
    async (request, reply) => {
      const queue = await existing(store, request.params.name, covers(request, request.params.name));
      tag(reply, queue.version);
      const unhandled = await unhandledNames(store);
      return {
        ...queueView(queue),
        unhandled: unhandled
          .filter((entry) => entry.queue === queue.name)
          .map(({ name, pending }) => ({ name, pending })),
      };
    },
  );
}

function queueEditRoutes(app: App, { context: { store } }: Services): void {
  app.patch(
    "/v1/queues/:name",
    {
      schema: {
        operationId: "editQueue",
        summary: "Change the settings of a queue, with If-Match only as it was read.",
        tags,
        params: QueueParams,
        body: QueuePatchBody,
        response: { 200: QueueView },
      },
      config: {
        access: "operate",
        problems: ["etag_mismatch"],
        auditDetail: ({ body }) => JSON.stringify(body),
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      requireQueue(request, name);
      const version = expectedVersion(request);
      await checkPresence(request, () => store.queues.get(name));
      const queue = await editQueue(store, name, request.body, version);
      tag(reply, queue.version);
      return queueView(queue);
    },
  );

  // May name a queue that is still to come, so that it is paused when its first job arrives.
  app.post(
    "/v1/queues/:name/pause",
    {
      schema: {
        operationId: "pauseQueue",
        summary: "Let no job of the queue be claimed. Running ones go on.",
        tags,
        params: QueueParams,
        body: PauseBody,
        response: { 200: QueueView },
      },
      config: { access: "operate", auditDetail: ({ body }) => (body as PauseBody).reason ?? null },
    },
    async (request) => {
      requireQueue(request, request.params.name);
      return queueView(await pauseQueue(store, request.params.name, request.body.reason ?? null));
    },
  );

  app.post(
    "/v1/queues/:name/resume",
    {
      schema: {
        operationId: "resumeQueue",
        summary: "Let jobs of the queue be claimed again.",
        tags,
        params: QueueParams,
        response: { 200: QueueView },
      },
      config: { access: "operate", problems: ["not_found"] },
    },
    async (request) => {
      requireQueue(request, request.params.name);
      await existing(store, request.params.name, true);
      return queueView(await resumeQueue(store, request.params.name));
    },
  );
}

/** What the token does not cover is answered like what does not exist. */
async function existing(store: Store, name: string, covered: boolean): Promise<Queue> {
  const queue = covered ? await store.queues.get(name) : null;
  if (queue === null)
    throw new KonveierError(
      "not_found",
      `No job has been in a queue ${name}, and nobody has paused or limited it.`,
    );
  return queue;
}
