import type { Problem } from "../api/problem.js";
import { callAt, systemClock, type Clock } from "../core/clock.js";
import type { TraceContext } from "../core/trace-context.js";
import type { Tracer } from "../core/tracing.js";
import { ApiError, ConnectionError, mayPass } from "./errors.js";
import { pause, pauseMs } from "./pause.js";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_TRIES = 5;

export interface ClientOptions {
  /** Where the server is, such as `http://localhost:8085`. A path is kept, for servers behind one. */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How long one try may take, besides the time that a claim waits. Default 30 s. */
  readonly timeoutMs?: number;
  /** Tries of a request that is safe to repeat, the first one included. Default 5. */
  readonly maxTries?: number;
  /** Traces what is enqueued, such as `openTelemetry()` of `konveier/otel`. Default: nothing is traced. */
  readonly tracing?: Tracer;
  /** For tests. */
  readonly clock?: Clock;
  /** From 0 up to 1; spreads retries. For tests. */
  readonly random?: () => number;
}

/** What every method takes. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Default: that of the client. */
  readonly timeoutMs?: number | undefined;
  /** Default: that of the client. */
  readonly maxTries?: number | undefined;
}

export interface Call extends CallOptions {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent along, for the server to keep. */
  readonly trace?: TraceContext | null;
  /** Whether saying it twice does what saying it once does. Only then is it tried again. */
  readonly repeatable: boolean;
}

/** Sends requests, gives them their time limit, and tries again what is safe to repeat. */
export class Transport {
  readonly clock: Clock;
  readonly random: () => number;
  readonly timeoutMs: number;
  readonly #url: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;
  readonly #maxTries: number;

  constructor(options: ClientOptions) {
    // Faults of the address are told here, not by the first request.
    const { href } = new URL(options.url);
    if (/[?#]/.test(href)) throw new TypeError("The address of a server has no query and no fragment.");
    this.#url = href.replace(/\/$/, "");
    this.#token = options.token;
    this.#fetch = options.fetch ?? fetch;
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxTries = options.maxTries ?? DEFAULT_MAX_TRIES;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
  }

  /** @throws ApiError, ConnectionError */
  async json<Body>(call: Call): Promise<Body> {
    return JSON.parse(await this.text(call)) as Body;
  }

  /** @throws ApiError, ConnectionError */
  async text(call: Call): Promise<string> {
    const maxTries = call.repeatable ? (call.maxTries ?? this.#maxTries) : 1;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#once(call);
      } catch (error) {
        if (failures >= maxTries || !mayPass(error)) throw error;
        await pause(this.clock, pauseMs(failures, error, this.random), call.signal);
      }
    }
  }

  async #once(call: Call): Promise<string> {
    const { signal, timeoutMs = this.timeoutMs } = call;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const late = new ConnectionError(`${this.#url} did not answer within ${timeoutMs} ms`, true);
    const cancel = callAt(this.clock, this.clock.monotonic() + timeoutMs, () => {
      controller.abort(late);
    });
    const abort = (): void => {
      controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", abort);
    try {
      return await this.#exchange(call, controller.signal);
    } catch (error) {
      throw this.#told(error, controller.signal);
    } finally {
      cancel();
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * An answer without an end. One try, and no time limit but the signal's.
   *
   * @throws ApiError, ConnectionError
   */
  async stream(
    path: string,
    query: Call["query"],
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    try {
      const response = await this.#fetch(this.#url + path + queryOf(query), {
        signal,
        headers: { authorization: `Bearer ${this.#token}`, ...headers },
      });
      if (!response.ok) throw this.#refusal(response, await response.text());
      if (response.body !== null) return response.body;
      throw new ConnectionError(`${this.#url} answered without a body`, true);
    } catch (error) {
      throw this.#told(error, signal);
    }
  }

  async #exchange({ method, path, query, body, headers, trace }: Call, signal: AbortSignal): Promise<string> {
    const response = await this.#fetch(this.#url + path + queryOf(query), {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...traceHeaders(trace ?? null),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text;
    throw this.#refusal(response, text);
  }

  /** What a request failed with, as callers are told. */
  #told(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof ApiError || error instanceof ConnectionError) return error;
    return new ConnectionError(`${this.#url} cannot be reached: ${causeOf(error)}`, true, { cause: error });
  }

  #refusal(response: Response, text: string): Error {
    const problem = problemIn(text);
    if (problem !== null) return new ApiError(problem, retryAfterMs(response));
    const { status } = response;
    const passing = status >= 500 || status === 429;
    return new ConnectionError(`${this.#url} answered ${status}, which is no answer of Konveier`, passing);
  }
}

function traceHeaders(trace: TraceContext | null): Record<string, string> {
  if (trace === null) return {};
  const { traceparent, tracestate } = trace;
  return tracestate === null ? { traceparent } : { traceparent, tracestate };
}

function queryOf(query: Call["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === "" ? "" : `?${text}`;
}

function problemIn(text: string): Problem | null {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === "string" && typeof body.status === "number" ? (body as Problem) : null;
  } catch {
    return null;
  }
}

function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

/** `fetch failed` helps nobody: its cause says why. */
function causeOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  return String(cause?.message ?? message ?? error);
}
