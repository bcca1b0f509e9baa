import { readHeaders } from "./header-rules.js";
import type { PayloadIssue } from "./payload-issue.js";

export const WEBHOOK_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** Longer than a receiver should take that does its work after answering. */
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;
export const MAX_URL_LENGTH = 8_192;

/** Payload of a `webhook.call` job. */
export interface WebhookCallPayload {
  /** http or https, without user name and password. At most 8 192 characters. A fragment is not sent. */
  readonly url: string;
  /** Default `POST`. */
  readonly method?: WebhookMethod;
  /** At most 50, 8 KiB together, printable ASCII. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, every other JSON value as JSON. Not with `GET` and `HEAD`. */
  readonly body?: unknown;
  /** From the lookup of the host to the end of the answer, in milliseconds: 1 to 120 000. Default 30 000. */
  readonly timeoutMs?: number;
}

/** A payload that keeps the rules, with the defaults filled in. */
export interface WebhookRequest {
  readonly url: URL;
  readonly method: WebhookMethod;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** `undefined` when there is none; `null` is the JSON value. */
  readonly body: unknown;
  readonly timeoutMs: number;
}

export type PayloadReading =
  | { readonly request: WebhookRequest; readonly issues?: undefined }
  | { readonly request?: undefined; readonly issues: readonly PayloadIssue[] };

const FIELDS = new Set(["url", "method", "headers", "body", "timeoutMs"]);

/** Checks a payload against all rules that need no knowledge of networks. */
export function readPayload(payload: unknown): PayloadReading {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return { issues: [{ path: [], message: "must be an object with a url" }] };
  }
  const fields = payload as Readonly<Record<keyof WebhookCallPayload, unknown>>;
  const issues: PayloadIssue[] = [];
  for (const field of Object.keys(payload)) {
    if (!FIELDS.has(field)) issues.push({ path: [field], message: "is not a field of webhook.call" });
  }
  const url = readUrl(fields.url, issues);
  const method = readMethod(fields.method, issues);
  const headers = readHeaders(fields.headers, issues);
  const body = readBody(fields.body, method, issues);
  const timeoutMs = readTimeout(fields.timeoutMs, issues);
  // A missing URL always comes with its issue.
  if (issues.length > 0 || url === null) return { issues };
  return { request: { url, method, headers, body, timeoutMs } };
}

/** The URL is never quoted: it may hold a secret. */
function readUrl(value: unknown, issues: PayloadIssue[]): URL | null {
  const fault = (message: string): null => {
    issues.push({ path: ["url"], message });
    return null;
  };
  if (typeof value !== "string") return fault("must be a text");
  if (value.length > MAX_URL_LENGTH) return fault(`must have at most ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(value)) return fault("must be an absolute URL");
  // Parsed once: everything later uses this object, so no second parser can see another host.
  const url = new URL(value);
  if (url.protocol !== "http:" && url.protocol !== "https:") return fault("must be an http or https URL");
  if (url.username !== "" || url.password !== "") return fault("must not have a user name or password");
  if (url.port === "0") return fault("must not have port 0");
  return url;
}

function readMethod(value: unknown, issues: PayloadIssue[]): WebhookMethod {
  if (value === undefined) return "POST";
  const method = WEBHOOK_METHODS.find((known) => known === value);
  if (method === undefined) {
    issues.push({ path: ["method"], message: `must be one of ${WEBHOOK_METHODS.join(", ")}` });
  }
  return method ?? "POST";
}

function readBody(value: unknown, method: WebhookMethod, issues: PayloadIssue[]): unknown {
  if (value !== undefined && (method === "GET" || method === "HEAD")) {
    issues.push({ path: ["body"], message: `must not be given with ${method}` });
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    issues.push({ path: ["body"], message: "has a lone surrogate, which UTF-8 cannot carry" });
  }
  return value;
}

function readTimeout(value: unknown, issues: PayloadIssue[]): number {
  if (value === undefined) return DEFAULT_TIMEOUT_MS;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS)
    return value;
  issues.push({ path: ["timeoutMs"], message: `must be a whole number from 1 to ${MAX_TIMEOUT_MS}` });
  return DEFAULT_TIMEOUT_MS;
}
