import type { LiveChange } from "../../engine/live/change.js";
import type { LiveFollower, LiveReader } from "../../engine/live/live-reader.js";
import { HEARTBEAT } from "../streams/frames.js";
import type { Feed, Stream } from "../streams/stream.js";
import type { LiveFrames } from "./live-frames.js";

/**
 * One client that is told of numbers. One that does not read misses frames, not bytes: when it has taken what waits
 * for it, it gets everything anew.
 */
export class LiveFeed implements Feed, LiveFollower {
  #begun = false;
  #behind = false;

  constructor(
    private readonly reader: LiveReader,
    private readonly frames: LiveFrames,
    private readonly stream: Stream,
    /** Of the queues that the client may see; `null`: all. */
    private readonly globs: readonly string[] | null,
  ) {}

  join(): Promise<void> {
    return this.reader.join(this);
  }

  begin(retryMs: number): void {
    this.#begun = true;
    this.stream.write(`retry: ${retryMs}\n\n`);
    this.#snapshot();
  }

  heartbeat(): string {
    return HEARTBEAT;
  }

  drained(): void {
    if (!this.#behind || this.stream.ended) return;
    this.#behind = false;
    this.#snapshot();
  }

  leave(): void {
    this.reader.leave(this);
  }

  changed(change: LiveChange): void {
    if (!this.#begun || this.#behind || this.stream.ended) return;
    if (this.stream.full) this.#behind = true;
    else this.stream.write(this.frames.change(change, this.globs));
  }

  #snapshot(): void {
    this.stream.write(this.frames.snapshot(this.reader.latest, this.globs));
  }
}
