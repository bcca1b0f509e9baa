import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * What stands between a browser and a server during a deploy: it answers by itself (a whole HTTP answer), never
 * answers, or cuts the connection.
 */
export type Fault = { readonly answer: string } | "hang" | "reset";

/** A TCP proxy in front of a server that can stop handing on what comes. */
export class FaultyProxy {
  readonly #sockets = new Set<Socket>();
  #fault: Fault | null = null;
  readonly #refused: string[] = [];

  private constructor(
    private readonly target: URL,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const proxy = new FaultyProxy(new URL(target), `http://127.0.0.1:${port}`);
    server.on("connection", (client) => {
      proxy.#accept(client);
    });
    onTestFinished(async () => {
      proxy.#cutAll();
      server.close();
      await once(server, "close");
    });
    return proxy;
  }

  /** From now on, also for who is connected: they are cut off first. */
  fail(fault: Fault): void {
    this.#fault = fault;
    this.#cutAll();
  }

  /** How many requests for this path it did not hand on. */
  refused(path: string): number {
    return this.#refused.filter((line) => line.includes(` ${path} `)).length;
  }

  /** Hands everything on again. */
  mend(): void {
    this.#fault = null;
    this.#cutAll();
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#sockets.delete(socket);
    });
  }

  #accept(client: Socket): void {
    this.#keep(client);
    const fault = this.#fault;
    if (fault === null) {
      this.#relay(client);
      return;
    }
    client.once("data", (request: Buffer) => {
      this.#refused.push(request.toString().split("\r\n", 1)[0] ?? "");
      if (fault === "reset") client.resetAndDestroy();
      else if (fault !== "hang") client.end(fault.answer);
    });
  }

  #relay(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    this.#keep(server);
    client.pipe(server).pipe(client);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  }
}
