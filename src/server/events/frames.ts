import type { JournalEvent } from "../../core/journal.js";
import type { Gap } from "../../store/events.js";
import { frame } from "../streams/frames.js";
import { eventView } from "../views/event.js";

/** Every stream gets the same text, so it is made once. */
const made = new WeakMap<JournalEvent, string>();

export function eventFrame(event: JournalEvent): string {
  let text = made.get(event);
  if (text === undefined) {
    text = `id: ${event.seq}\n${frame(event.type, eventView(event))}`;
    made.set(event, text);
  }
  return text;
}

/** What a stream begins with: a client that loses it at once knows already where to go on. */
export function helloFrame(retryMs: number, id: number): string {
  return `retry: ${retryMs}\nid: ${id}\n\n`;
}

/** What comes after is not all that happened: the client has to look at everything anew. */
export function resetFrame(reason: Gap, id: number): string {
  return `id: ${id}\n${frame("reset", { reason, id })}`;
}
