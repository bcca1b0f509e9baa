import { promises as dns } from "node:dns";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { App } from "./app.js";

/**
 * Listens at every address of `localhost`: 127.0.0.1, and ::1 where there is one, as clients take either. Fastify would make
 * a server of its own for the second, with nothing of what is set and followed at `app.server`, and would not wait for its
 * requests at the close. Here its connections are handed to the one server.
 */
export class Listeners {
  readonly #others: Server[] = [];

  constructor(private readonly app: App) {}

  /** @returns the address, such as `http://127.0.0.1:8085` */
  async listen(host: string, port: number): Promise<string> {
    if (host !== "localhost") return this.app.listen({ host, port });
    const found = await dns.lookup(host, { all: true });
    const [first = host, ...others] = new Set(found.map(({ address }) => address));
    const url = await this.app.listen({ host: first, port });
    const { port: taken } = this.app.server.address() as AddressInfo;
    for (const address of others) await this.#listenToo(address, taken);
    return url;
  }

  /** Takes no new connections at the other addresses. Resolves when those that are there have ended. */
  async close(): Promise<void> {
    await Promise.all(
      this.#others.map(async (server) => {
        const closed = once(server, "close");
        server.close();
        await closed;
      }),
    );
  }

  async #listenToo(host: string, port: number): Promise<void> {
    // Half-open as those of Node's HTTP server, which ends them itself.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
      this.app.server.emit("connection", socket);
    });
    try {
      await once(server.listen({ host, port }), "listening");
      this.#others.push(server);
    } catch {
      // A name may have addresses that the machine has not. The first one is there.
    }
  }
}
