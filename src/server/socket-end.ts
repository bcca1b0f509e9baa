import type { Socket } from "node:net";

const followers = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls when the connection closes. One listener of the socket serves any number of pipelined requests. Whoever calls
 * this asks `socket.destroyed` too: the event may have been.
 *
 * @returns stops following
 */
export function onSocketClose(socket: Socket, listener: () => void): () => void {
  const ofSocket = followers.get(socket) ?? follow(socket);
  ofSocket.add(listener);
  return () => {
    ofSocket.delete(listener);
  };
}

/**
 * Whether "finish" of a response means that its connection took it. Node says "finish" also when it gives up writing: to
 * a socket that is destroyed, or will be in a moment because the write failed.
 */
export function tookAnswer({ destroyed, errored }: Socket): boolean {
  return !destroyed && !(errored instanceof Error);
}

function follow(socket: Socket): Set<() => void> {
  const listeners = new Set<() => void>();
  followers.set(socket, listeners);
  socket.once("close", () => {
    for (const listener of listeners) listener();
  });
  return listeners;
}
