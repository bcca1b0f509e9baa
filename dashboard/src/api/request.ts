import { signedOut } from "../shell/session.js";
import { asProblem, problemOf } from "./problem.js";

const TIMEOUT_MS = 10_000;

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a call sends besides its address. */
export interface Sent {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** The body as JSON text, where numbers must go out as they were typed. Instead of `body`. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads JSON. @throws Problem */
export async function read<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const answer = await exchange(pathWith(path, query), {}, signal);
  return (await answer.json()) as Answer;
}

export interface Versioned<Value> {
  readonly value: Value;
  readonly etag: string | null;
}

/** Reads the text of an answer, and the ETag that an edit must name. @throws Problem */
export async function readVersionedText(path: string, signal?: AbortSignal): Promise<Versioned<string>> {
  const answer = await exchange(path, {}, signal);
  return { value: await answer.text(), etag: answer.headers.get("ETag") };
}

/** Reads an answer as the text that it is: a payload must not be changed by being parsed. @throws Problem */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  return (await exchange(path, {}, signal)).text();
}

/**
 * Reads only the beginning of an answer. The rest is not transferred.
 *
 * @param bytes at most so many; a character that would be cut is left out
 * @throws Problem
 */
export async function readTextStart(path: string, bytes: number, signal?: AbortSignal): Promise<string> {
  const enough = new AbortController();
  const signals = signal === undefined ? [enough.signal] : [signal, enough.signal];
  const reader = (await exchange(path, {}, AbortSignal.any(signals))).body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = bytes; reader !== undefined && left > 0;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
  }
  enough.abort();
  return text;
}

/** Changes something. Answers without a body are `null`. @throws Problem */
export async function send<Answer = null>(path: string, sent: Sent): Promise<Answer> {
  const json = sent.json ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const answer = await exchange(path, {
    method: sent.method,
    headers: {
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      ...sent.headers,
    },
    ...(json === undefined ? {} : { body: json }),
  });
  return (answer.status === 204 ? null : await answer.json()) as Answer;
}

/** An address below `/v1`, with what is null or undefined left out. */
function pathWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** Where the API is: below the address at which the dashboard lies. For links. */
export function addressOf(path: string): URL {
  return new URL(path.replace(/^\//, ""), document.baseURI);
}

/** Whether it is not, for example, the sign-in page of a proxy whose own session is over. */
function isFromServer(answer: Response): boolean {
  return answer.status === 204 || /\bjson\b/.test(answer.headers.get("Content-Type") ?? "");
}

async function exchange(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(addressOf(path), {
    credentials: "same-origin",
    ...init,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw asProblem(error);
  });
  if (answer.ok && isFromServer(answer)) return answer;
  if (answer.status === 401) signedOut();
  throw await problemOf(answer);
}
