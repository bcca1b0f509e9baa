import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * - `before`: the connection is cut, and the statement never arrives
 * - `after`: the statement is done, and the connection is cut instead of its answer
 */
type Cut = "before" | "after";

/** What the network does: `refuse` like a server that is down, `hang` like a cable that is out, `slow` like a bad line. */
type Network = "well" | "refuse" | "hang" | "slow";

/** How long a slow network takes each way. */
const SLOW_MS = 150;

/** A TCP proxy in front of a PostgreSQL server that cuts connections at chosen statements. */
export class PostgresProxy {
  readonly #links = new Set<Link>();
  #network: Network = "well";
  #cuts: { readonly cut: Cut; readonly text: string; readonly done: () => void }[] = [];
  #rewrite: ((answer: string) => string) | null = null;

  private constructor(
    private readonly target: URL,
    /** Of the database behind it. */
    readonly url: string,
  ) {}

  static async start(target: string): Promise<PostgresProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = new URL(target);
    url.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const proxy = new PostgresProxy(new URL(target), url.href);
    server.on("connection", (client) => {
      proxy.#accept(client);
    });
    onTestFinished(async () => {
      for (const link of proxy.#links) link.cut();
      server.close();
      await once(server, "close");
    });
    return proxy;
  }

  get connections(): number {
    return this.#links.size;
  }

  /** From which the connections of this application arrive at the server. */
  ports(application: string): (number | undefined)[] {
    return [...this.#links].filter((link) => link.application === application).map(({ port }) => port);
  }

  /** Cuts the connection of the next statement with this text. Resolves when that has happened. */
  cutAt(text: string, cut: Cut): Promise<void> {
    return new Promise((done) => {
      this.#cuts.push({ cut, text, done });
    });
  }

  /** From now on, for who is connected and for who comes. */
  set network(network: Network) {
    this.#network = network;
    for (const link of this.#links) {
      if (network === "refuse") link.cut();
      else link.network(network);
    }
  }

  /** Changes what the server answers. Lengths must stay as they are. */
  rewriteAnswers(rewrite: (answer: string) => string): void {
    this.#rewrite = rewrite;
  }

  /** Sends a statement on every connection of this application that is there, and keeps the answers. */
  inject(application: string, text: string): number {
    const links = [...this.#links].filter((link) => link.application === application);
    for (const link of links) link.inject(text);
    return links.length;
  }

  #accept(client: Socket): void {
    if (this.#network === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const link = new Link(client, connect(Number(this.target.port), this.target.hostname), {
      cutFor: (statement) => this.#cutFor(statement),
      rewrite: (answer) => this.#rewrite?.(answer) ?? answer,
    });
    link.network(this.#network);
    this.#links.add(link);
    client.on("close", () => this.#links.delete(link));
  }

  #cutFor(statement: string): Cut | null {
    const found = this.#cuts.find(({ text }) => statement.includes(text));
    if (found === undefined) return null;
    this.#cuts = this.#cuts.filter((each) => each !== found);
    found.done();
    return found.cut;
  }
}

interface Rules {
  cutFor(statement: string): Cut | null;
  rewrite(answer: string): string;
}

/** One connection. Messages from the client begin with a letter and their length, but for the first one. */
class Link {
  application = "";
  #unread = Buffer.alloc(0);
  #started = false;
  #hanging = false;
  #slow = false;
  /** Parts of messages that are on their way. */
  #underWay = 0;
  #losesAnswer = false;
  #swallows = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly rules: Rules,
  ) {
    for (const socket of [client, server]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        // A cable that is out tells nobody that the other end is gone.
        if (!this.#hanging || socket === client) this.cut();
      });
    }
    client.on("data", (chunk: Buffer) => {
      if (this.#hanging) return;
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#readMessages();
    });
    server.on("data", (chunk: Buffer) => {
      this.#answer(chunk);
    });
  }

  get port(): number | undefined {
    return this.server.localPort;
  }

  cut(): void {
    this.client.destroy();
    this.server.destroy();
  }

  network(network: Network): void {
    this.#hanging = network === "hang";
    this.#slow = network === "slow";
  }

  inject(text: string): void {
    this.#swallows = true;
    const body = Buffer.from(`${text}\0`);
    const head = Buffer.from("Q\0\0\0\0");
    head.writeInt32BE(body.length + 4, 1);
    this.server.write(Buffer.concat([head, body]));
  }

  #readMessages(): void {
    for (;;) {
      const head = this.#started ? 1 : 0;
      if (this.#unread.length < head + 4) return;
      const length = head + this.#unread.readInt32BE(head);
      if (this.#unread.length < length) return;
      const message = this.#unread.subarray(0, length);
      this.#unread = this.#unread.subarray(length);
      if (!this.#send(message)) return;
    }
  }

  /** @returns whether the connection goes on */
  #send(message: Buffer): boolean {
    const text = message.toString("latin1");
    if (!this.#started) {
      this.#started = true;
      this.application = /application_name\0([^\0]*)\0/.exec(text)?.[1] ?? "";
    } else if (text.startsWith("Q") || text.startsWith("P")) {
      const cut = this.rules.cutFor(text);
      if (cut === "before") {
        this.cut();
        return false;
      }
      this.#losesAnswer = cut === "after";
    }
    this.#carry(() => this.server.write(message));
    return true;
  }

  #answer(chunk: Buffer): void {
    if (this.#hanging) return;
    if (this.#losesAnswer) {
      this.cut();
      return;
    }
    if (this.#swallows) {
      // ReadyForQuery, which is the last of an answer.
      this.#swallows = !chunk.subarray(-6, -1).equals(Buffer.from("Z\0\0\0\x05"));
      return;
    }
    const answer = Buffer.from(this.rules.rewrite(chunk.toString("latin1")), "latin1");
    this.#carry(() => this.client.write(answer));
  }

  #carry(deliver: () => void): void {
    // What is under way is not overtaken.
    if (!this.#slow && this.#underWay === 0) {
      deliver();
      return;
    }
    this.#underWay += 1;
    setTimeout(() => {
      this.#underWay -= 1;
      deliver();
    }, SLOW_MS);
  }
}
