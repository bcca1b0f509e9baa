import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Where the webhooks of the jobs go. It can keep its answers back, so that jobs are sure to be running. */
export class Sink {
  /** Deliveries by the path, which is the job's own. */
  readonly deliveries = new Map<string, number>();
  readonly #held = new Map<ServerResponse, string>();
  #isHeld: (path: string) => boolean = () => false;
  #wake: () => void = () => undefined;
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    request.resume().on("end", () => {
      this.deliveries.set(path, (this.deliveries.get(path) ?? 0) + 1);
      if (this.#isHeld(path)) this.#held.set(response, path);
      else response.end();
      this.#wake();
    });
  });

  static async start(): Promise<Sink> {
    const sink = new Sink();
    sink.#server.listen(0, "127.0.0.1");
    await once(sink.#server, "listening");
    onTestFinished(() => {
      sink.release();
      sink.#server.closeAllConnections();
      sink.#server.close();
    });
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Keeps back the answers to these paths from now on, by default all. */
  hold(isHeld: (path: string) => boolean = () => true): void {
    this.#isHeld = isHeld;
  }

  release(): void {
    this.#isHeld = () => false;
    for (const response of this.#held.keys()) response.end();
    this.#held.clear();
  }

  /** Resolves when `fits`, which is asked after each delivery and gets the paths that have no answer yet. */
  async until(fits: (held: readonly string[]) => boolean | Promise<boolean>): Promise<void> {
    while (!(await fits([...this.#held.values()]))) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
