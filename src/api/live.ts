import { Type, type Static } from "typebox";
import { Instant, Nullable } from "./fields.js";
import { QueueView } from "./queue.js";
import { LIVE_TOPICS } from "../core/live-topics.js";

const LiveQueueView = Type.Object(
  {
    name: Type.String(),
    pausedAt: Nullable.Instant,
    counts: QueueView.properties.counts,
    /** `runAt` of the job that has been claimable longest. */
    oldestPendingAt: Nullable.Instant,
  },
  { title: "LiveQueue" },
);
export type LiveQueueView = Static<typeof LiveQueueView>;

/** What a stream begins with, and goes on with for a client that could not keep up. */
export const LiveSnapshotView = Type.Object(
  {
    at: Instant,
    /** Of the server: a page that was loaded from an older one should be loaded anew. */
    version: Type.String(),
    queues: Type.Array(LiveQueueView),
  },
  { title: "LiveSnapshot" },
);
export type LiveSnapshotView = Static<typeof LiveSnapshotView>;

/** What has changed since the frame before. */
export const LiveChangeView = Type.Object(
  {
    at: Instant,
    /** Those that are new or differ, as they are now. */
    queues: Type.Array(LiveQueueView),
    /** Names of queues that are no more. */
    gone: Type.Array(Type.String()),
    /** Kinds of things that have changed. `other`: something that belongs to none of them, or cannot be told. */
    topics: Type.Array(Type.Enum([...LIVE_TOPICS, "other"])),
  },
  { title: "LiveChange" },
);
export type LiveChangeView = Static<typeof LiveChangeView>;
