import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.js";
import { onSocketClose } from "../socket-end.js";
import { byeFrame, type ByeReason } from "./frames.js";

/**
 * With this much waiting in the socket nothing more is written. One write on top of it stays below 256 KiB, as long
 * as it is no larger than 128 KiB itself.
 */
const FULL_BYTES = 128 * 1024;
/** Heartbeats at which nothing has moved, after which a client counts as one that does not read. */
const MAX_STALLS = 2;
/** For the last words to a client that perhaps does not read. */
const BYE_MS = 1_000;
/** Silence after which the operating system asks whether the other machine is still there. */
const KEEP_ALIVE_MS = 4_000;

/** What one client is told. */
export interface Feed {
  /** Begins to follow. Nothing is written yet. @throws KonveierError `store_…` */
  join(): Promise<void>;
  /** Writes what the stream begins with. After `join`. */
  begin(retryMs: number): void;
  /** What shows a client that has read everything that its connection lives; `null`: more is on its way. */
  heartbeat(): string | null;
  /** The client has taken what waited, after the stream was full. */
  drained(): void;
  /** The stream is over. May be called twice, and before `join` has resolved. */
  leave(): void;
}

/** The connection of one client of server-sent events, from its admission to its end. */
export class Stream {
  #ended = false;
  #sentBytes = 0;
  #flushedBytes = Number.NEGATIVE_INFINITY;
  #stalls = 0;
  readonly #feed: Feed;
  readonly #unfollow: () => void;

  constructor(
    /** Whose it is; `null` when nobody counts. */
    readonly owner: string | null,
    private readonly clock: Clock,
    private readonly socket: Socket,
    private readonly response: ServerResponse,
    feedOf: (stream: Stream) => Feed,
    private readonly onEnd: (stream: Stream) => void,
  ) {
    this.#feed = feedOf(this);
    this.#unfollow = onSocketClose(socket, this.#gone);
    response.on("drain", () => {
      this.#feed.drained();
    });
    if (socket.destroyed) this.#gone();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether so much waits for the client that nothing more should be written: it falls behind. */
  get full(): boolean {
    return this.response.writableLength > FULL_BYTES;
  }

  /** @throws KonveierError `store_…` */
  async join(): Promise<void> {
    await this.#feed.join();
    if (this.#ended) this.#feed.leave();
  }

  /** Writes what every stream begins with. After `join`. */
  begin(headers: OutgoingHttpHeaders, retryMs: number): void {
    if (this.#ended) return;
    // A stream may be silent for as long as nothing happens; whether its client lives is asked otherwise.
    this.socket.setTimeout(0);
    this.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.response.writeHead(200, headers);
    this.#feed.begin(retryMs);
  }

  write(text: string): void {
    if (this.#ended) return;
    const bytes = Buffer.from(text);
    this.#sentBytes += bytes.length;
    this.response.write(bytes);
  }

  /** Shows the client that the connection lives, and ends the stream of one that does not read. */
  beat(): void {
    if (this.#ended) return;
    const waiting = this.response.writableLength;
    const flushed = this.#sentBytes - waiting;
    this.#stalls = waiting > 0 && flushed <= this.#flushedBytes ? this.#stalls + 1 : 0;
    this.#flushedBytes = flushed;
    if (this.#stalls >= MAX_STALLS) this.bye("slow");
    else if (waiting === 0) this.#writeHeartbeat();
  }

  /** Says why, and ends the stream soon, whether the client reads that or not. */
  bye(reason: ByeReason): void {
    if (this.#ended) return;
    this.#end();
    if (!this.response.headersSent) return;
    const cancel = this.clock.setTimer(BYE_MS, () => {
      this.socket.destroy();
    });
    onSocketClose(this.socket, cancel);
    this.response.end(byeFrame(reason), () => {
      this.socket.destroySoon();
    });
  }

  /** Forgets a stream that could not begin: its request is answered in another way. */
  abandon(): void {
    this.#end();
  }

  /** Cuts the connection. The client comes back by itself. */
  cut(): void {
    this.socket.destroy();
  }

  #writeHeartbeat(): void {
    const text = this.#feed.heartbeat();
    if (text !== null) this.write(text);
  }

  readonly #gone = (): void => {
    this.#end();
  };

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unfollow();
    this.#feed.leave();
    this.onEnd(this);
  }
}
