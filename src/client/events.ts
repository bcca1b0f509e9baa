import type { EventPageView, EventQuery, EventView } from "../api/event.js";
import { callAt } from "../core/clock.js";
import { ConnectionError, mayPass } from "./errors.js";
import { framesOf, type Frame } from "./event-frames.js";
import { pause, pauseMs } from "./pause.js";
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

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Told before each new try, after the stream ended or could not be opened. */
  readonly onReconnect?: (why: unknown) => void;
}

/** The server says something every 15 s; after three times as long the connection is taken for dead. */
const SILENCE_MS = 45_000;
const MAX_FIRST_TRIES = 3;

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
    { signal, onReconnect = () => undefined }: FollowOptions = {},
  ): AsyncGenerator<EventMessage, void, undefined> {
    const place = { after: filter.after ?? null, retryMs: 0, opened: false };
    for (let failures = 1; ; failures += 1) {
      let why: unknown = new ConnectionError("the stream ended", true);
      try {
        for await (const message of this.#open(filter, place, signal)) {
          failures = 0;
          if (message !== null) yield message;
        }
      } catch (error) {
        if (signal?.aborted === true || !mayPass(error)) throw error;
        if (!place.opened && failures >= MAX_FIRST_TRIES) throw error;
        why = error;
      }
      onReconnect(why);
      const { clock, random } = this.transport;
      await pause(clock, place.retryMs + pauseMs(Math.max(failures, 1), why, random), signal);
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

  /** One connection. `null`: nothing for the caller, but the connection works. */
  async *#open(
    filter: EventFilter,
    place: { after: string | null; retryMs: number; opened: boolean },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<EventMessage | null, void, undefined> {
    signal?.throwIfAborted();
    const connection = new AbortController();
    const abort = (): void => {
      connection.abort(signal?.reason);
    };
    signal?.addEventListener("abort", abort);
    const watchdog = new Watchdog(this.transport, connection);
    try {
      const headers = {
        accept: "text/event-stream",
        ...(place.after !== null && { "last-event-id": place.after }),
      };
      const query = wireQuery({ ...filter, after: undefined });
      const body = await this.transport.stream("/v1/events", query, headers, connection.signal);
      place.opened = true;
      for await (const frame of framesOf(body)) {
        watchdog.heard();
        place.after = frame.id ?? place.after;
        place.retryMs = frame.retryMs ?? place.retryMs;
        yield messageOf(frame);
      }
    } catch (error) {
      if (connection.signal.aborted) throw connection.signal.reason;
      if (error instanceof TypeError) throw new ConnectionError("the stream broke", true, { cause: error });
      throw error;
    } finally {
      watchdog.stop();
      signal?.removeEventListener("abort", abort);
      connection.abort();
    }
  }
}

/** Ends a connection on which nothing comes any more. */
class Watchdog {
  #cancel: () => void = () => undefined;

  constructor(
    private readonly transport: Transport,
    private readonly connection: AbortController,
  ) {
    this.heard();
  }

  heard(): void {
    const { clock } = this.transport;
    this.#cancel();
    this.#cancel = callAt(clock, clock.monotonic() + SILENCE_MS, () => {
      this.connection.abort(new ConnectionError(`nothing came for ${SILENCE_MS / 1_000} s`, true));
    });
  }

  stop(): void {
    this.#cancel();
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
