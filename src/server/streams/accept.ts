import { namedQuality } from "../accept-header.js";

/** Whether a client that could have a stream asks for one answer instead. */
export function prefersJson(accept: string | undefined): boolean {
  return namedQuality(accept, "application/json") > namedQuality(accept, "text/event-stream");
}

export const EVENT_STREAM = "text/event-stream; charset=utf-8";
