import type { EventPageView, EventQuery, EventView } from "../api/event.js";
import type { Frame } from "./event-frames.js";
import { followFrames, type FollowOptions } from "./follow-frames.js";
import type { CallOptions, Transport } from "./transport.js";

/** What follows is not all that happened: look at everything anew. */
export interface EventReset {
  readonly type: "reset";
  readonly reason: string;
  /** Where the stream goes on. */
  readonly id: number;
}

export type EventMessage = EventView | EventReset;

/** Which events are wanted. All of it narrows; `after` is the `seq` of the last event that is known. */
export type EventFilter = Omit<EventQuery, "limit">;

/** Follows what happens: `client.events`. */
export class EventsClient {
  constructor(private readonly transport: Transport) {}

  /**
   * Events as they happen. Goes on after the last one when the connection ends, without an end of its own: leave the
   * loop, or abort the signal. An event may come twice, none is lost without a `reset`.
   *
   * @throws ApiError when the server refuses, such as for a revoked token
   * @throws ConnectionError when the server cannot be reached at first; later it is tried for ever
   */
  async *follow(
    filter: EventFilter = {},
    options: FollowOptions = {},
  ): AsyncGenerator<EventMessage, void, undefined> {
    let after = filter.after ?? null;
    const query = wireQuery({ ...filter, after: undefined });
    const request = () => ({
      path: "/v1/events",
      query,
      headers: { ...(after !== null && { "last-event-id": after }) },
    });
    for await (const frame of followFrames(this.transport, request, options)) {
      after = frame.id ?? after;
      const message = messageOf(frame);
      if (message !== null) yield message;
    }
  }

  /** Events that happened, for who cannot keep a connection open. */
  page(query: EventQuery = {}, options: CallOptions = {}): Promise<EventPageView> {
    const headers = { accept: "application/json" };
    const path = "/v1/events";
    const call = {
      ...options,
      method: "GET",
      path,
      query: wireQuery(query),
      headers,
      repeatable: true,
    } as const;
    return this.transport.json(call);
  }
}

function messageOf({ event, data }: Frame): EventMessage | null {
  if (event === null || event === "bye" || data === null) return null;
  const message = JSON.parse(data) as EventMessage;
  return event === "reset" ? ({ ...message, type: "reset" } as EventReset) : message;
}

/** Lists travel as `a,b`. */
function wireQuery(query: EventQuery | (Omit<EventQuery, "after"> & { after: undefined })) {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value]),
  ) as Record<string, string | number | undefined>;
}
