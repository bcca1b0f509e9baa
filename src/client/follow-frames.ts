import { callAt } from "../core/clock.js";
import { ConnectionError, mayPass } from "./errors.js";
import { framesOf, type Frame } from "./event-frames.js";
import { pause, pauseMs } from "./pause.js";
import type { Call, Transport } from "./transport.js";

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Told before each new try, after the stream ended or could not be opened. */
  readonly onReconnect?: (why: unknown) => void;
}

export interface StreamRequest {
  readonly path: string;
  readonly query: Call["query"];
  readonly headers: Readonly<Record<string, string>>;
}

/** The server says something every 15 s; after three times as long the connection is taken for dead. */
const SILENCE_MS = 45_000;
const MAX_FIRST_TRIES = 3;

/**
 * Frames of a stream, over any number of connections. It has no end of its own: leave the loop, or abort the signal.
 *
 * @param request asked anew for each connection, so that it can go on where the last one ended
 * @throws ApiError when the server refuses, such as for a revoked token
 * @throws ConnectionError when the server cannot be reached at first; later it is tried for ever
 */
export async function* followFrames(
  transport: Transport,
  request: () => StreamRequest,
  { signal, onReconnect = () => undefined }: FollowOptions,
): AsyncGenerator<Frame, void, undefined> {
  const state = { retryMs: 0, opened: false };
  for (let failures = 1; ; failures += 1) {
    let why: unknown = new ConnectionError("the stream ended", true);
    try {
      for await (const frame of connect(transport, request(), state, signal)) {
        failures = 0;
        yield frame;
      }
    } catch (error) {
      if (signal?.aborted === true || !mayPass(error)) throw error;
      if (!state.opened && failures >= MAX_FIRST_TRIES) throw error;
      why = error;
    }
    onReconnect(why);
    const { clock, random } = transport;
    await pause(clock, state.retryMs + pauseMs(Math.max(failures, 1), why, random), signal);
  }
}

/** One connection. */
async function* connect(
  transport: Transport,
  { path, query, headers }: StreamRequest,
  state: { retryMs: number; opened: boolean },
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  signal?.throwIfAborted();
  const connection = new AbortController();
  const abort = (): void => {
    connection.abort(signal?.reason);
  };
  signal?.addEventListener("abort", abort);
  const watchdog = new Watchdog(transport, connection);
  try {
    const wanted = { accept: "text/event-stream", ...headers };
    const body = await transport.stream(path, query, wanted, connection.signal);
    state.opened = true;
    for await (const frame of framesOf(body)) {
      watchdog.heard();
      state.retryMs = frame.retryMs ?? state.retryMs;
      yield frame;
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
