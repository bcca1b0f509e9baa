import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { JournalEvent } from "../../core/journal.js";
import type { EngineContext } from "../../engine/context.js";
import type { Follower } from "../../engine/events/journal-reader.js";
import type { Gap } from "../../store/events.js";
import type { EventFilter } from "./filter.js";
import { onSocketClose } from "../socket-end.js";
import { byeFrame, eventFrame, HEARTBEAT, helloFrame, resetFrame, type ByeReason } from "./frames.js";

/**
 * With this much waiting in the socket nothing more is written, so what a client does not read stays in the
 * journal and not in memory. One write on top of it stays below 256 KiB.
 */
const FULL_BYTES = 128 * 1024;
/** Events of one write: about 45 KiB, 100 KiB with the longest names. */
const CHUNK = 200;
/** Heartbeats at which nothing has moved, after which a client counts as one that does not read. */
const MAX_STALLS = 2;
/** For the last words to a client that perhaps does not read. */
const BYE_MS = 1_000;
/** Silence after which the operating system asks whether the other machine is still there. */
const KEEP_ALIVE_MS = 4_000;

/** Where a stream begins: after an id that the client knows, or with what comes from now on. */
export type Start = { readonly after: number } | { readonly reset: Gap } | "now";

/**
 * One client that is told of events. It is live as long as it takes what it is given; when it does not, it
 * falls behind and reads the journal by itself, at its own pace, until it has caught up.
 */
export class EventStream implements Follower {
  /** Everything up to here was written, or is not for this client. */
  #cursor = 0;
  /** The last id that the client was told. */
  #toldId = 0;
  #behind = false;
  #ended = false;
  #sentBytes = 0;
  #flushedBytes = Number.NEGATIVE_INFINITY;
  #stalls = 0;
  #wake = (): void => undefined;
  readonly #unfollow: () => void;

  constructor(
    /** Whose it is; `null` when nobody counts. */
    readonly owner: string | null,
    private readonly context: EngineContext,
    private readonly socket: Socket,
    private readonly response: ServerResponse,
    private readonly filter: EventFilter,
    private readonly onEnd: (stream: EventStream) => void,
  ) {
    this.#unfollow = onSocketClose(socket, this.#gone);
    response.on("drain", () => {
      this.#wake();
    });
    if (socket.destroyed) this.#gone();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Begins to follow. Nothing is written yet. @throws KonveierError `store_…` */
  async join(start: Start): Promise<void> {
    this.#cursor = await this.context.journal.join(this);
    if (this.#ended) this.context.journal.leave(this);
    if (start !== "now" && "after" in start) {
      this.#cursor = start.after;
      this.#behind = true;
    }
  }

  /** Writes what every stream begins with. After `join`. */
  begin(headers: OutgoingHttpHeaders, retryMs: number, start: Start): void {
    if (this.#ended) return;
    // A stream may be silent for as long as nothing happens; whether its client lives is asked otherwise.
    this.socket.setTimeout(0);
    this.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.response.writeHead(200, headers);
    this.#toldId = this.#cursor;
    this.#write(helloFrame(retryMs, this.#cursor));
    if (start !== "now" && "reset" in start) this.#write(resetFrame(start.reset, this.#cursor));
    if (this.#behind) this.#fallBehind();
  }

  events(events: readonly JournalEvent[]): void {
    if (this.#behind || this.#ended) return;
    for (let from = 0; from < events.length; from += CHUNK) {
      if (this.#isFull()) {
        this.#fallBehind();
        return;
      }
      this.#send(events.slice(from, from + CHUNK));
    }
  }

  lost(gap: Gap, latest: number): void {
    // One that is behind meets the gap by itself.
    if (!this.#behind) this.#reset(gap, latest);
  }

  /** Shows the client that the connection lives, and ends the stream of one that does not read. */
  beat(): void {
    if (this.#ended) return;
    const waiting = this.response.writableLength;
    const flushed = this.#sentBytes - waiting;
    this.#stalls = waiting > 0 && flushed <= this.#flushedBytes ? this.#stalls + 1 : 0;
    this.#flushedBytes = flushed;
    if (this.#stalls >= MAX_STALLS) this.bye("slow");
    else if (waiting === 0 && !this.#behind) this.#write(this.#heartbeat());
  }

  /** Says why, and ends the stream soon, whether the client reads that or not. */
  bye(reason: ByeReason): void {
    if (this.#ended) return;
    this.#end();
    if (!this.response.headersSent) return;
    const cancel = this.context.clock.setTimer(BYE_MS, () => {
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

  /** A client that gets none of the events still has to learn how far it has come. */
  #heartbeat(): string {
    if (this.#toldId === this.#cursor) return HEARTBEAT;
    this.#toldId = this.#cursor;
    return `id: ${this.#cursor}\n\n`;
  }

  #fallBehind(): void {
    this.#behind = true;
    this.#catchUp().catch((error: unknown) => {
      this.context.health.failed(error, "an event stream");
      // The client comes back, and goes on after the last id that it has.
      this.socket.destroy();
    });
  }

  async #catchUp(): Promise<void> {
    const { store, journal } = this.context;
    while (!this.#ended) {
      await this.#room();
      const page = await store.events.after(this.#cursor, CHUNK);
      if (page.gap === null) this.#send(page.events);
      else this.#reset(page.gap, page.latest);
      // What the others are told from now on comes after this.
      if (this.#cursor >= journal.position) {
        this.#behind = false;
        return;
      }
    }
  }

  /** Resolves when the client has taken what waits, or the stream has ended. */
  async #room(): Promise<void> {
    while (this.#isFull() && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #send(events: readonly JournalEvent[]): void {
    let text = "";
    for (const event of events) {
      if (event.seq <= this.#cursor) continue;
      this.#cursor = event.seq;
      if (!this.filter(event)) continue;
      this.#toldId = event.seq;
      text += eventFrame(event);
    }
    if (text !== "") this.#write(text);
  }

  #reset(gap: Gap, latest: number): void {
    this.#cursor = latest;
    this.#toldId = latest;
    this.#write(resetFrame(gap, latest));
  }

  #write(text: string): void {
    if (this.#ended) return;
    const bytes = Buffer.from(text);
    this.#sentBytes += bytes.length;
    this.response.write(bytes);
  }

  #isFull(): boolean {
    return this.response.writableLength > FULL_BYTES;
  }

  readonly #gone = (): void => {
    this.#end();
  };

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unfollow();
    this.context.journal.leave(this);
    this.#wake();
    this.onEnd(this);
  }
}
