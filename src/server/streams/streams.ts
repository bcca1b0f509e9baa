import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { KonveierError } from "../../core/errors.js";
import type { EngineContext } from "../../engine/context.js";
import { EVENT_STREAM } from "./accept.js";
import type { ByeReason } from "./frames.js";
import { Stream, type Feed } from "./stream.js";

const MAX_STREAMS = 200;
const MAX_STREAMS_OF_OWNER = 20;
const HEARTBEAT_MS = 15_000;
/** How often it is asked whether the tokens of the streams are still good. */
const CHECK_MS = 5_000;
/** Clients come back after a time between these, so that they do not all come at once. */
const MIN_RETRY_MS = 1_500;
const MAX_RETRY_MS = 4_000;

/** Who opens a stream. */
export interface Subscriber {
  /** Streams of one owner are counted and can be ended together. `null`: not counted. */
  readonly owner: string | null;
  /** Whether it still may: its token may be revoked, or its session be over. */
  readonly isGood: () => Promise<boolean>;
}

/** The event streams of one server, of whatever they tell. */
export class Streams {
  readonly #streams = new Map<Stream, Subscriber>();
  #cancelTimers: (() => void) | null = null;
  #draining = false;

  constructor(private readonly context: EngineContext) {}

  /** Streams that are open, or about to be. */
  get count(): number {
    return this.#streams.size;
  }

  /**
   * Turns the answer into a stream.
   *
   * @throws KonveierError `too_many_streams`, `draining`, `store_…`
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    subscriber: Subscriber,
    feedOf: (stream: Stream) => Feed,
  ): Promise<void> {
    const { owner } = subscriber;
    const { socket } = request.raw;
    this.#admit(owner);
    const stream = new Stream(owner, this.context.clock, socket, reply.raw, feedOf, (ended) => {
      this.#forget(ended);
    });
    if (socket.destroyed) return void reply.type(EVENT_STREAM).send("");
    this.#streams.set(stream, subscriber);
    this.#cancelTimers ??= this.#startTimers();
    try {
      await stream.join();
    } catch (error) {
      stream.abandon();
      throw error;
    }
    // Ended meanwhile, before there was a stream to say why.
    if (this.#draining) throw drainingError();
    if (stream.ended) {
      socket.destroy();
      // The call ends as any other whose client has gone: a hijacked answer that nobody writes would never end.
      return void reply.type(EVENT_STREAM).send("");
    }
    reply.header("Content-Type", EVENT_STREAM);
    // Proxies must hand on every event at once, as it is.
    reply.header("Cache-Control", "no-cache, no-transform").header("X-Accel-Buffering", "no");
    // The connection ends with the stream: a client must not send its next request into it.
    reply.header("Connection", "close");
    reply.hijack();
    const retryMs = MIN_RETRY_MS + Math.floor(this.context.random() * (MAX_RETRY_MS - MIN_RETRY_MS + 1));
    stream.begin(reply.getHeaders() as OutgoingHttpHeaders, retryMs);
  }

  /** Ends the streams of these owners, such as those whose token was revoked. */
  closeStreams(whose: (owner: string | null) => boolean, reason: ByeReason): void {
    for (const stream of [...this.#streams.keys()]) if (whose(stream.owner)) stream.bye(reason);
  }

  /** Ends all streams and refuses new ones. */
  drain(): void {
    this.#draining = true;
    this.closeStreams(() => true, "draining");
  }

  #admit(owner: string | null): void {
    if (this.#draining) throw drainingError();
    const ofOwner = [...this.#streams.keys()].filter((stream) => owner !== null && stream.owner === owner);
    if (this.#streams.size >= MAX_STREAMS || ofOwner.length >= MAX_STREAMS_OF_OWNER) {
      throw new KonveierError(
        "too_many_streams",
        `At most ${MAX_STREAMS} event streams are open at a time, and ${MAX_STREAMS_OF_OWNER} of one token. Close one.`,
      );
    }
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#cancelTimers?.();
    this.#cancelTimers = null;
  }

  #startTimers(): () => void {
    const stops = [
      this.#every(HEARTBEAT_MS, () => {
        for (const stream of [...this.#streams.keys()]) stream.beat();
      }),
      this.#every(CHECK_MS, () => {
        this.#endForgotten().catch((error: unknown) => {
          this.context.health.failed(error, "asking whether the tokens of event streams are good");
        });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Ends the streams whose token or session is over, wherever that was said. */
  async #endForgotten(): Promise<void> {
    for (const [stream, { isGood }] of [...this.#streams]) if (!(await isGood())) stream.bye("auth");
  }

  #every(ms: number, act: () => void): () => void {
    let cancel = (): void => undefined;
    const arm = (): void => {
      cancel = this.context.clock.setTimer(ms, () => {
        arm();
        act();
      });
    };
    arm();
    return () => {
      cancel();
    };
  }
}

function drainingError(): KonveierError {
  return new KonveierError("draining", "This server is stopping. Follow the events at another one.");
}
