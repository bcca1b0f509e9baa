import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { API_TOKEN } from "./http-server.js";

/** One frame of an event stream. */
export interface Frame {
  readonly id: number | null;
  readonly event: string | null;
  readonly retry: number | null;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** A client of an event stream, with its own connection. It is cut off when the present test ends. */
export class StreamClient {
  readonly frames: Frame[] = [];
  /** The last id that it was told: where it goes on. */
  lastId: number | null = null;
  closed = false;
  #text = "";
  readonly #watchers = new Set<() => void>();

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      this.#read(text);
    });
    response.on("error", () => undefined);
    response.on("close", () => {
      this.closed = true;
      this.#tell();
    });
    onTestFinished(() => {
      this.drop();
    });
  }

  /** Resolves when the server has sent its headers. */
  static async open(
    url: string,
    {
      lastId,
      accept,
      token = API_TOKEN,
      cookie,
    }: { lastId?: number | string | null; accept?: string; token?: string; cookie?: string } = {},
  ): Promise<StreamClient> {
    const sent = request(url, {
      agent: false,
      headers: {
        ...(cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie }),
        ...(accept !== undefined && { accept }),
        ...(lastId != null && { "last-event-id": String(lastId) }),
      },
    });
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return new StreamClient(response);
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** Frames of events, without greetings and heartbeats. */
  get events(): Frame[] {
    return this.frames.filter(({ event }) => event !== null);
  }

  /** Resolves when this holds after a frame, or when the stream is over. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.closed) throw new Error(`The stream ended after ${JSON.stringify(this.frames.slice(-3))}`);
      await this.#changed();
    }
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) await this.#changed();
  }

  /** Cuts the connection, as a network does. */
  drop(): void {
    this.response.socket.destroy();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const watch = (): void => {
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
    });
  }

  #tell(): void {
    for (const watch of [...this.#watchers]) watch();
  }

  #read(text: string): void {
    const blocks = (this.#text + text).split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#frame(block);
    this.#tell();
  }

  #frame(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      fields.set(name, value);
    }
    const number = (name: string) => (fields.has(name) ? Number(fields.get(name)) : null);
    const data = fields.get("data");
    this.lastId = number("id") ?? this.lastId;
    this.frames.push({
      id: number("id"),
      event: fields.get("event") ?? null,
      retry: number("retry"),
      data: data === undefined ? null : (JSON.parse(data) as Record<string, unknown>),
    });
  }
}
