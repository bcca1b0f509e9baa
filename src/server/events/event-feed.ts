import type { JournalEvent } from "../../core/journal.js";
import type { EngineContext } from "../../engine/context.js";
import type { Follower } from "../../engine/events/journal-reader.js";
import type { Gap } from "../../store/events.js";
import { HEARTBEAT } from "../streams/frames.js";
import type { Feed, Stream } from "../streams/stream.js";
import type { EventFilter } from "./filter.js";
import { eventFrame, helloFrame, resetFrame } from "./frames.js";

/** Events of one write: about 45 KiB, 100 KiB with the longest names. */
const CHUNK = 200;

/** Where a stream begins: after an id that the client knows, or with what comes from now on. */
export type Start = { readonly after: number } | { readonly reset: Gap } | "now";

/**
 * One client that is told of events. It is live as long as it takes what it is given; when it does not, it
 * falls behind and reads the journal by itself, at its own pace, until it has caught up. So what a client does not
 * read stays in the journal and not in memory.
 */
export class EventFeed implements Feed, Follower {
  /** Everything up to here was written, or is not for this client. */
  #cursor = 0;
  /** The last id that the client was told. */
  #toldId = 0;
  #behind = false;
  #wake = (): void => undefined;

  constructor(
    private readonly context: EngineContext,
    private readonly stream: Stream,
    private readonly filter: EventFilter,
    private readonly start: Start,
  ) {}

  async join(): Promise<void> {
    this.#cursor = await this.context.journal.join(this);
    if (this.start === "now" || "reset" in this.start) return;
    this.#cursor = this.start.after;
    this.#behind = true;
  }

  begin(retryMs: number): void {
    this.#toldId = this.#cursor;
    this.stream.write(helloFrame(retryMs, this.#cursor));
    if (this.start !== "now" && "reset" in this.start) {
      this.stream.write(resetFrame(this.start.reset, this.#cursor));
    }
    if (this.#behind) this.#fallBehind();
  }

  /** A client that gets none of the events still has to learn how far it has come. */
  heartbeat(): string | null {
    if (this.#behind) return null;
    if (this.#toldId === this.#cursor) return HEARTBEAT;
    this.#toldId = this.#cursor;
    return `id: ${this.#cursor}\n\n`;
  }

  drained(): void {
    this.#wake();
  }

  leave(): void {
    this.context.journal.leave(this);
    this.#wake();
  }

  events(events: readonly JournalEvent[]): void {
    if (this.#behind || this.stream.ended) return;
    for (let from = 0; from < events.length; from += CHUNK) {
      if (this.stream.full) {
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

  #fallBehind(): void {
    this.#behind = true;
    this.#catchUp().catch((error: unknown) => {
      this.context.health.failed(error, "an event stream");
      // The client comes back, and goes on after the last id that it has.
      this.stream.cut();
    });
  }

  async #catchUp(): Promise<void> {
    const { store, journal } = this.context;
    while (!this.stream.ended) {
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
    while (this.stream.full && !this.stream.ended) {
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
    if (text !== "") this.stream.write(text);
  }

  #reset(gap: Gap, latest: number): void {
    this.#cursor = latest;
    this.#toldId = latest;
    this.stream.write(resetFrame(gap, latest));
  }
}
