import type { QueueView } from "../api/types.js";

/** What `GET /v1/live` tells of a queue. */
export type LiveQueue = Pick<QueueView, "name" | "pausedAt" | "counts" | "oldestPendingAt">;

/** Kinds of things that a frame says have changed. Unknown ones count as `other`. */
export type Topic = "jobs" | "queues" | "schedules" | "workers" | "operations" | "tokens" | "other";

export interface Snapshot {
  readonly at: string;
  readonly version: string;
  readonly queues: readonly LiveQueue[];
}

export interface Change {
  readonly at: string;
  readonly queues: readonly LiveQueue[];
  readonly gone: readonly string[];
  readonly topics: readonly string[];
}

/** What a page hears from whoever holds the stream. */
export type LiveMessage =
  | { readonly type: "snapshot"; readonly data: Snapshot }
  | { readonly type: "change"; readonly data: Change }
  | { readonly type: "status"; readonly status: StreamStatus };

export type StreamStatus = "connecting" | "live" | "reconnecting" | "signed-out" | "forbidden";
