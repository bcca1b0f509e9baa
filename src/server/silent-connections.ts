import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/**
 * Follows the connections on which nothing was ever sent. Node counts them as busy, because a request may be
 * about to come, and waits for them when the server closes; clients open them in advance and forget them.
 *
 * @returns closes them, and every one that still comes. Call it when the server takes no new connections.
 */
export function followSilentConnections(server: Server): () => Promise<void> {
  const open = new Set<Socket>();
  let closing = false;
  server.on("connection", (socket: Socket) => {
    if (closing) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return async () => {
    closing = true;
    // A request may have arrived already and only not been read.
    await setImmediate();
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
