import type { LiveChange } from "../../engine/live/change.js";
import type { LiveReading } from "../../store/live.js";
import type { Store } from "../../store/store.js";
import { frame } from "../streams/frames.js";
import { liveChangeView, liveSnapshotView } from "../views/live.js";

type Globs = readonly string[] | null;

/** The frames of live streams. */
export class LiveFrames {
  /** Clients that may see the same get the same text, so it is made once. */
  readonly #changes = new WeakMap<LiveChange, Map<string, string>>();

  constructor(private readonly store: Store) {}

  snapshot(reading: LiveReading, globs: Globs): string {
    return frame("snapshot", liveSnapshotView(reading, this.store.now(), globs));
  }

  change(change: LiveChange, globs: Globs): string {
    let texts = this.#changes.get(change);
    if (texts === undefined) {
      texts = new Map();
      this.#changes.set(change, texts);
    }
    const key = JSON.stringify(globs);
    let text = texts.get(key);
    if (text === undefined) {
      text = frame("change", liveChangeView(change, this.store.now(), globs));
      texts.set(key, text);
    }
    return text;
  }
}
