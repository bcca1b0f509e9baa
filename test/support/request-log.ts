import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpServer } from "./http-server.js";

/** What a server is asked from now on. */
export class RequestLog {
  /** As `GET /v1/jobs`, in the order in which it came. */
  readonly requests: string[] = [];
  readonly #open = new Map<ServerResponse, string>();

  constructor({ server }: HttpServer) {
    server.app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const { method = "", url = "" } = request;
      const text = `${method} ${url.replace(/\?.*/, "")}`;
      this.requests.push(text);
      this.#open.set(response, text);
      response.on("close", () => this.#open.delete(response));
    });
  }

  /** Those that are not answered yet, or whose answer goes on, such as a stream. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  count(text: string): number {
    return this.requests.filter((request) => request === text).length;
  }
}
