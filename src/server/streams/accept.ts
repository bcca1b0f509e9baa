/** Whether a client that could have a stream asks for one answer instead. */
export function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/json\b/.test(accept) && !accept.includes("event-stream");
}

export const EVENT_STREAM = "text/event-stream; charset=utf-8";
