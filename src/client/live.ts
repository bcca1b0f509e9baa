import type { LiveChangeView, LiveSnapshotView } from "../api/live.js";
import { followFrames, type FollowOptions } from "./follow-frames.js";
import type { CallOptions, Transport } from "./transport.js";

/** Everything anew, or what differs since the message before. */
export type LiveMessage =
  ({ readonly type: "snapshot" } & LiveSnapshotView) | ({ readonly type: "change" } & LiveChangeView);

const PATH = "/v1/live";

/** The counts of all queues, kept up to date: `client.live`. */
export class LiveClient {
  constructor(private readonly transport: Transport) {}

  /**
   * A snapshot, then changes as they happen, at most one a second. When the connection ends it is made anew and begins
   * with a snapshot. It has no end of its own: leave the loop, or abort the signal.
   *
   * @throws ApiError when the server refuses, such as for a revoked token
   * @throws ConnectionError when the server cannot be reached at first; later it is tried for ever
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<LiveMessage, void, undefined> {
    const request = () => ({ path: PATH, query: {}, headers: {} });
    for await (const { event, data } of followFrames(this.transport, request, options)) {
      if (data === null || (event !== "snapshot" && event !== "change")) continue;
      yield { type: event, ...(JSON.parse(data) as object) } as LiveMessage;
    }
  }

  /** One snapshot, for who cannot keep a connection open. */
  snapshot(options: CallOptions = {}): Promise<LiveSnapshotView> {
    const headers = { accept: "application/json" };
    return this.transport.json({ ...options, method: "GET", path: PATH, headers, repeatable: true });
  }
}
