import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Memory } from "./memory.js";
import type { FuzzRequest, Sender } from "./requests.js";

/** Far above what any answer takes: a request without an answer by then hangs. */
const HANGS_MS = 20_000;
/** Calls that wait by design, such as a claim, are hung up on after this. */
const PATIENCE_MS = 40;
const WAITING = new Set(["claimJobs", "waitForJob", "followEvents", "followLive"]);

export type Outcome =
  | { readonly type: "answered"; readonly status: number; readonly text: string }
  | { readonly type: "left" }
  | { readonly type: "reset" }
  | { readonly type: "hung" }
  | { readonly type: "failed"; readonly error: string };

/** Sends requests over kept-alive connections, as they are, and learns from the answers. */
export class Sending {
  readonly #agent: Agent;

  constructor(
    private readonly url: string,
    private readonly tokens: Readonly<Record<Sender, () => string | null>>,
    private readonly memory: Memory,
    maxSockets: number,
  ) {
    this.#agent = new Agent({ keepAlive: true, maxSockets });
  }

  async send(fuzz: FuzzRequest): Promise<Outcome> {
    const outcome = await this.#exchange(fuzz);
    if (outcome.type === "answered" && outcome.status < 300) this.memory.learn(fuzz.operation, outcome.text);
    return outcome;
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange({ operation, method, path, headers, body, sender }: FuzzRequest): Promise<Outcome> {
    const token = this.tokens[sender]();
    const filled = Object.entries(headers).map(([name, value]) => [name, this.memory.fill(value)] as const);
    const bytes =
      body === null ? null : Buffer.from(this.memory.fill(Buffer.from(body).toString("latin1")), "latin1");
    return new Promise((resolve) => {
      const sent = httpRequest(this.url, {
        agent: this.#agent,
        method,
        path: this.memory.fill(path),
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...Object.fromEntries(filled.map(([name, value]) => [name, Buffer.from(value).toString("latin1")])),
          ...(bytes !== null && { "content-length": bytes.length }),
        },
      });
      const finish = (outcome: Outcome): void => {
        clearTimeout(limit);
        resolve(outcome);
        if (outcome.type === "left" || outcome.type === "hung") sent.destroy();
      };
      const waits = WAITING.has(operation);
      const limit = setTimeout(
        () => {
          finish({ type: waits ? "left" : "hung" });
        },
        waits ? PATIENCE_MS : HANGS_MS,
      );
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // A connection that the server has closed while the next request went out. Not an answer, not a fault.
        finish(error.code === "ECONNRESET" ? { type: "reset" } : { type: "failed", error: String(error) });
      });
      sent.on("response", (response) => {
        read(response, finish);
      });
      sent.end(bytes ?? undefined);
    });
  }
}

function read(response: IncomingMessage, finish: (outcome: Outcome) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.on("error", () => {
    finish({ type: "reset" });
  });
  response.on("end", () => {
    finish({
      type: "answered",
      status: response.statusCode ?? 0,
      text: Buffer.concat(chunks).toString(),
    });
  });
}
