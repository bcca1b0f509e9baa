import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection on which a test says what no HTTP client would. */
export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  // The server may close while the test still writes: that is an outcome, not a failure.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Sends bytes as they are; resolves with all that comes back until the server closes. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = await connectTo(url);
  const answer = untilClosed(socket);
  socket.write(bytes);
  return answer;
}

export async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await happened(socket, "close");
  return Buffer.concat(chunks).toString();
}

/** Resolves at the first of these events; an error by itself is none, the close that follows it is. */
export function happened(socket: Socket, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) {
      socket.once(event, () => {
        resolve();
      });
    }
  });
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}
