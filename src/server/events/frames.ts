import type { JournalEvent } from "../../core/journal.js";
import type { Gap } from "../../store/events.js";
import { eventView } from "../views/event.js";

/** Why the server ends a stream. */
export type ByeReason = "slow" | "draining" | "auth";

/** Nothing happens, and the connection lives. */
export const HEARTBEAT = ":\n\n";

/** Every stream gets the same text, so it is made once. */
const made = new WeakMap<JournalEvent, string>();

export function eventFrame(event: JournalEvent): string {
  let frame = made.get(event);
  if (frame === undefined) {
    frame = `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
    made.set(event, frame);
  }
  return frame;
}

/** What a stream begins with: a client that loses it at once knows already where to go on. */
export function helloFrame(retryMs: number, id: number): string {
  return `retry: ${retryMs}\nid: ${id}\n\n`;
}

/** What comes after is not all that happened: the client has to look at everything anew. */
export function resetFrame(reason: Gap, id: number): string {
  return `id: ${id}\nevent: reset\ndata: ${JSON.stringify({ reason, id })}\n\n`;
}

export function byeFrame(reason: ByeReason): string {
  return `event: bye\ndata: ${JSON.stringify({ reason })}\n\n`;
}
