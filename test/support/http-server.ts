import { once } from "node:events";
import type { Socket } from "node:net";
import { pino } from "pino";
import type { Static, TSchema } from "typebox";
import { Check, Errors } from "typebox/value";
import { expect, onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import type { Tracer } from "../../src/core/tracing.js";
import { createContext, type EngineContext } from "../../src/engine/context.js";
import { openStore } from "../../src/open-store.js";
import { createServer, type KonveierServer } from "../../src/server/index.js";
import type { Store } from "../../src/store/store.js";
import { holdToContract } from "./answer-contract.js";
import { testDatabase, type TestDatabase } from "./test-database.js";

export const API_TOKEN = "token-of-the-tests";

/** What a request may have besides method and path. */
export interface Sending {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, as `application/json` unless the headers say otherwise. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null`: none. */
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

/** A real server on a real port and a real database, closed and removed when the present test ends. */
export class HttpServer {
  constructor(
    readonly url: string,
    readonly context: EngineContext,
    readonly server: KonveierServer,
    /** For a second server on it. */
    readonly database: TestDatabase,
    /** Every line that was logged, as text. */
    readonly log: readonly string[],
  ) {}

  get store(): Store {
    return this.context.store;
  }

  /** The database file, for a second process on it. */
  get file(): string {
    return this.database.file;
  }

  async send(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const { json, raw, headers = {}, token = API_TOKEN, signal } = sending;
    const body = json === undefined ? raw : JSON.stringify(json);
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
    return new Answer(response.status, response.headers, await response.text());
  }

  get(path: string, sending?: Sending): Promise<Answer> {
    return this.send("GET", path, sending);
  }

  post(path: string, json?: unknown): Promise<Answer> {
    return this.send("POST", path, { json });
  }

  /** The server's end of the next connection. */
  async nextConnection(): Promise<Socket> {
    const [socket] = (await once(this.server.app.server, "connection")) as [Socket];
    return socket;
  }

  /** Lines of the log with this text. */
  logged(text: string): Record<string, unknown>[] {
    return this.log
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  get json(): unknown {
    return JSON.parse(this.text) as unknown;
  }

  /** The body, which must be what the schema says. */
  as<Schema extends TSchema>(schema: Schema): Static<Schema> {
    const body: unknown = this.json;
    if (!Check(schema, body)) {
      const faults = JSON.stringify(Errors(schema, body));
      throw new Error(`A ${this.status} has another shape than expected: ${faults}\n${this.text}`);
    }
    return body;
  }

  /** Members of the body, whatever it is. */
  get body(): Readonly<Record<string, unknown>> {
    return this.json as Record<string, unknown>;
  }
}

export interface HttpServerOptions {
  /** Of engine and server; the store keeps the real one, unless it gets one too. */
  readonly clock?: Clock;
  readonly storeClock?: Clock;
  /** One that others use too. Default: a new one. */
  readonly database?: TestDatabase;
  readonly apiToken?: string;
  readonly tracing?: Tracer;
  readonly trustedProxies?: readonly string[];
  /** Whether it serves the dashboard, as it was built last. Default: not. */
  readonly dashboard?: boolean;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

export async function startHttpServer(options: HttpServerOptions = {}): Promise<HttpServer> {
  const { clock, apiToken = API_TOKEN, database = testDatabase() } = options;
  const { trustedProxies = [], storeClock, dashboard = false, host = "127.0.0.1" } = options;
  const store = await openStore(database.url, { schema: database.schema, clock: storeClock });
  onTestFinished(() => store.close());
  const log: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => log.push(line) });
  const context = createContext(store, { ...(clock !== undefined && { clock }), tracing: options.tracing });
  const server = await createServer({ context, apiToken, logger, trustedProxies, dashboard });
  const faults = holdToContract(server.app);
  onTestFinished(async () => {
    await server.close();
    expect(faults, "answers that the API's description does not allow").toEqual([]);
  });
  const url = await server.listen({ host, port: 0 });
  return new HttpServer(url, context, server, database, log);
}
