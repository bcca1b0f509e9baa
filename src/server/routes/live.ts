import { Type } from "typebox";
import { LiveSnapshotView } from "../../api/live.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import { LiveFeed } from "../live/live-feed.js";
import { LiveFrames } from "../live/live-frames.js";
import type { Services } from "../services.js";
import { EVENT_STREAM, prefersJson } from "../streams/accept.js";
import type { Stream } from "../streams/stream.js";
import { subscriberOf } from "../streams/subscriber.js";
import { liveSnapshotView } from "../views/live.js";

/** The numbers of a page, kept up to date. */
export function liveRoute(app: App, { access, context, heavyReads, streams }: Services): void {
  const { live, store } = context;
  const frames = new LiveFrames(store);
  app.get(
    "/v1/live",
    {
      schema: {
        operationId: "followLive",
        summary: "Follow the counts of all queues and what else changes, at most once a second.",
        tags: ["events"],
        response: { 200: Type.Unsafe<LiveSnapshotView | string>(LiveSnapshotView) },
      },
      config: { access: "read", problems: ["too_many_streams", "draining"], waits: true },
    },
    async (request, reply) => {
      const { queues: globs } = identityOf(request);
      if (prefersJson(request.headers.accept)) {
        return heavyReads.answer(reply, ["live", globs], async () =>
          liveSnapshotView(await live.once(), store.now(), globs),
        );
      }
      if (request.method === "HEAD") return reply.type(EVENT_STREAM).send("");
      const feedOf = (stream: Stream) => new LiveFeed(live, frames, stream, globs);
      await streams.open(request, reply, subscriberOf(access, request), feedOf);
      return reply;
    },
  );
}
