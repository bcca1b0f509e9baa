/** Why the server ends a stream. */
export type ByeReason = "slow" | "draining" | "auth";

/** Nothing happens, and the connection lives. */
export const HEARTBEAT = ":\n\n";

/** One line of JSON is all that a frame holds. */
export function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function byeFrame(reason: ByeReason): string {
  return frame("bye", { reason });
}
