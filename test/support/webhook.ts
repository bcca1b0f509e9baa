import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo, LookupFunction, Server } from "node:net";
import type { Clock } from "../../src/core/clock.js";
import type { JobContext } from "../../src/core/define-job.js";
import type { WebhookCallPayload } from "../../src/handlers/webhook/payload.js";
import type { WebhookCallResult } from "../../src/handlers/webhook/result.js";
import { webhookCall, type WebhookCallOptions } from "../../src/handlers/webhook/webhook-call.js";

/** Receivers and contexts for the tests of `webhook.call`. */

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Requests received completely, oldest first. */
  readonly requests: readonly Received[];
  /** Connections ever made, whether or not a request came over them. */
  readonly connections: () => number;
  /** Waits until no connection is open. */
  readonly idle: () => Promise<void>;
}

/** A server on 127.0.0.1 and a free port that keeps what it gets and answers as `answer` says. */
export async function startReceiver(answer: RequestListener): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const { method = "", url: path = "", headers, rawHeaders } = request;
      requests.push({ method, path, headers, rawHeaders, body: Buffer.concat(chunks) });
      answer(request, response);
    });
  });
  return { ...(await listen(server)), requests };
}

/** Starts `server` on 127.0.0.1 and a free port. */
export async function listen(server: Server): Promise<Omit<Receiver, "requests">> {
  let made = 0;
  const open = new Set<object>();
  const idle = new EventTarget();
  server.on("connection", (socket) => {
    made += 1;
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      open.delete(socket);
      if (open.size === 0) idle.dispatchEvent(new Event("idle"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => made,
    idle: async () => {
      if (open.size > 0) await once(idle, "idle");
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) (socket as { destroy(): void }).destroy();
      await once(server, "close");
    },
  };
}

/** A clock that stands still and fires its timers only when told to. */
export class StillClock implements Clock {
  #monotonic = 0;
  readonly #timers = new Set<() => void>();

  constructor(readonly wall = Date.UTC(2026, 0, 5, 12, 0, 0)) {}

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(_delayMs: number, callback: () => void): () => void {
    this.#timers.add(callback);
    return () => {
      this.#timers.delete(callback);
    };
  }

  get timers(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    this.#monotonic += ms;
    const due = [...this.#timers];
    this.#timers.clear();
    for (const fire of due) fire();
  }
}

interface AttemptSettings {
  readonly signal?: AbortSignal;
  readonly jobId?: string;
  readonly attempt?: number;
  readonly token?: number;
}

export interface CallSettings extends Partial<WebhookCallOptions>, AttemptSettings {}

/** Runs the handler of `webhook.call` once. Loopback is allowed unless `settings` say otherwise. */
export async function callWebhook(
  payload: WebhookCallPayload,
  settings: CallSettings = {},
): Promise<WebhookCallResult> {
  const definition = webhookCall({ allowCidrs: ["127.0.0.0/8"], signingSecrets: [], ...settings });
  return definition.handler(jobContext(payload, settings));
}

function jobContext(
  payload: WebhookCallPayload,
  { signal = new AbortController().signal, jobId = "42", attempt = 1, token = 7 }: AttemptSettings,
): JobContext<WebhookCallPayload> {
  return {
    job: {
      id: jobId,
      queue: "default",
      name: "webhook.call",
      priority: 4,
      attempt,
      maxAttempts: 20,
      failures: attempt - 1,
      createdAt: 0,
      runAt: 0,
      startedAt: 0,
      leaseExpiresAt: 30_000,
      timeoutMs: null,
      backoff: null,
      schedule: null,
      flow: null,
      traceparent: null,
      tracestate: null,
    },
    payload,
    signal,
    token,
    progress: () => Promise.resolve(),
    log: () => Promise.resolve(),
    get flow() {
      return noFlow();
    },
    step: () => Promise.reject(new Error("There is no store here")),
    within: () => {
      throw new Error("There is no database here");
    },
  };
}

/** The error that `promise` rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome: unknown = await promise.then(
    (value) => new TypeError(`did not fail but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new TypeError(`rejected with ${String(outcome)}`);
}

/** A lookup that gives these addresses for every name, the next list with every call, and notes the names. */
export function fakeLookup(...answers: readonly string[][]): LookupFunction & { readonly names: string[] } {
  const names: string[] = [];
  const lookup: LookupFunction = (host, options, callback) => {
    const answer = answers[Math.min(names.length, answers.length - 1)] ?? [];
    names.push(host);
    const all = answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
  return Object.assign(lookup, { names });
}

function noFlow(): JobContext["flow"] {
  throw new Error("The handler has nothing to do with flows");
}
