import { signedOut } from "../shell/session.js";
import { asProblem, problemOf } from "./problem.js";

const TIMEOUT_MS = 10_000;

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a call sends besides its address. */
export interface Sent {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** A body that is JSON already, sent as it is: numbers in it must not be changed by being parsed. */
  readonly text?: string;
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

/** Reads JSON, and the ETag that an edit must name. @throws Problem */
export async function readVersioned<Answer>(path: string, signal?: AbortSignal): Promise<Versioned<Answer>> {
  const answer = await exchange(path, {}, signal);
  return { value: (await answer.json()) as Answer, etag: answer.headers.get("ETag") };
}

/** Reads an answer as the text that it is: a payload must not be changed by being parsed. @throws Problem */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  return (await exchange(path, {}, signal)).text();
}

/** Changes something. Answers without a body are `null`. @throws Problem */
export async function send<Answer = null>(path: string, sent: Sent): Promise<Answer> {
  const text = sent.text ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const answer = await exchange(path, {
    method: sent.method,
    headers: {
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
      ...sent.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return (answer.status === 204 ? null : await answer.json()) as Answer;
}

/** An address below `/v1`, with what is null or undefined left out. */
export function pathWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

async function exchange(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(new URL(path.replace(/^\//, ""), document.baseURI), {
    credentials: "same-origin",
    ...init,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw asProblem(error);
  });
  if (answer.ok) return answer;
  if (answer.status === 401) signedOut();
  throw await problemOf(answer);
}
