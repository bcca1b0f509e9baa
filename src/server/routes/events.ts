import { Type } from "typebox";
import { DEFAULT_EVENT_PAGE, EventPageView, EventQuery } from "../../api/event.js";
import type { EngineContext } from "../../engine/context.js";
import type { FastifyRequest } from "fastify";
import type { Access } from "../access/access.js";
import { identityOf } from "../access/guard.js";
import { covers } from "../access/queue-limits.js";
import { isStillGood } from "../access/still-good.js";
import type { App } from "../app.js";
import { eventFilter, type EventFilter } from "../events/filter.js";
import type { Start } from "../events/stream.js";
import type { Subscriber } from "../events/streams.js";
import type { Services } from "../services.js";
import { eventView } from "../views/event.js";

/** Following what happens. */
export function eventRoutes(app: App, { access, context, streams }: Services): void {
  app.get(
    "/v1/events",
    {
      schema: {
        operationId: "followEvents",
        summary: "Follow state changes as a stream, or read a page of them.",
        tags: ["events"],
        querystring: EventQuery,
        response: { 200: Type.Unsafe<EventPageView | string>(EventPageView) },
      },
      config: { access: "read", problems: ["too_many_streams", "draining"], waits: true },
    },
    async (request, reply) => {
      const { query, headers } = request;
      const subscriber = subscriberOf(access, request);
      const filter = eventFilter(query, subscriber.maySee);
      // A client that reconnects by itself keeps its address: the header is the later word.
      const after = headers["last-event-id"] ?? query.after;
      const start = startAfter(typeof after === "string" ? after : undefined);
      if (prefersJson(headers.accept)) return pageOf(context, filter, start, query.limit);
      if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send("");
      await streams.open(request, reply, subscriber, filter, start);
      return reply;
    },
  );
}

/** Streams of one token are counted together, whether it came itself or opened a session. */
function subscriberOf(access: Access, request: FastifyRequest): Subscriber {
  const { tokenId, queues } = identityOf(request);
  return {
    owner: tokenId,
    maySee: queues === null ? null : (queue) => covers(request, queue),
    isGood: () => isStillGood(access, request),
  };
}

function startAfter(id: string | undefined): Start {
  if (id === undefined || id === "") return "now";
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) ? { after: number } : { reset: "unknown_id" };
}

function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/json\b/.test(accept) && !accept.includes("event-stream");
}

async function pageOf(
  { store, journal }: EngineContext,
  filter: EventFilter,
  start: Start,
  limit = DEFAULT_EVENT_PAGE,
): Promise<EventPageView> {
  await journal.want();
  if (start === "now" || "reset" in start) {
    const reset = start === "now" ? null : start.reset;
    return { items: [], lastId: await store.events.latest(), more: false, reset };
  }
  const { events, gap, latest } = await store.events.after(start.after, limit);
  if (gap !== null) return { items: [], lastId: latest, more: false, reset: gap };
  return {
    items: events.filter(filter).map(eventView),
    lastId: events.at(-1)?.seq ?? start.after,
    more: events.length === limit,
    reset: null,
  };
}
