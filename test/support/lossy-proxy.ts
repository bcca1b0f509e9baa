import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A TCP proxy in front of a server that can lose answers: the request arrives, its answer does not. */
export class LossyProxy {
  readonly #sockets = new Set<Socket>();
  #losing: { readonly text: string; readonly lost: (answer: string) => void } | null = null;

  private constructor(
    private readonly target: URL,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<LossyProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const proxy = new LossyProxy(new URL(target), `http://127.0.0.1:${port}`);
    server.on("connection", (client) => {
      proxy.#relay(client);
    });
    onTestFinished(async () => {
      for (const socket of proxy.#sockets) socket.destroy();
      server.close();
      await once(server, "close");
    });
    return proxy;
  }

  /** Loses the next answer with this text. Resolves with it, when the client's connection is cut. */
  loseAnswer(text: string): Promise<string> {
    return new Promise((lost) => {
      this.#losing = { text, lost };
    });
  }

  #relay(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
      });
    }
    client.pipe(server);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    server.on("data", (chunk: Buffer) => {
      const losing = this.#losing;
      if (losing === null || !chunk.toString().includes(losing.text)) {
        client.write(chunk);
        return;
      }
      this.#losing = null;
      // The server has handed its answer over to the network: for it, all is well.
      client.destroy();
      losing.lost(chunk.toString());
    });
  }
}
