import type { JobContext } from "../../core/define-job.js";
import type { WebhookMethod, WebhookRequest } from "./payload.js";
import { webhookSignature } from "./signature.js";

/** A request as it goes over the wire. */
export interface OutgoingRequest {
  readonly method: WebhookMethod;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer | null;
}

export interface Sender {
  readonly userAgent: string;
  readonly signingKeys: readonly Buffer[];
}

/** @param now wall time in milliseconds, for `webhook-timestamp` */
export function outgoingRequest(
  request: WebhookRequest,
  { job, token }: Pick<JobContext, "job" | "token">,
  { userAgent, signingKeys }: Sender,
  now: number,
): OutgoingRequest {
  const { method, url } = request;
  const body = encodeBody(request.body);
  const headers = new Map([
    ["host", url.host],
    ["user-agent", userAgent],
  ]);
  if (body !== null) headers.set("content-type", contentTypeOf(request.body));
  for (const [name, value] of request.headers) headers.set(name, value);

  // Node adds a length only for the methods that usually have a body; without one the body is lost.
  if (body !== null || method === "POST" || method === "PUT" || method === "PATCH") {
    headers.set("content-length", String(body?.length ?? 0));
  }
  // The same for every attempt, so that the receiver can tell a repetition. Without "." because that
  // separates the parts that are signed.
  const id = `job_${job.id}`;
  const timestamp = Math.floor(now / 1_000);
  headers.set("webhook-id", id);
  headers.set("webhook-timestamp", String(timestamp));
  if (signingKeys.length > 0) {
    headers.set("webhook-signature", webhookSignature(signingKeys, id, timestamp, body ?? ""));
  }
  headers.set("konveier-attempt", String(job.attempt));
  headers.set("konveier-token", String(token));
  return { method, url, headers, body };
}

function encodeBody(body: unknown): Buffer | null {
  if (body === undefined) return null;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function contentTypeOf(body: unknown): string {
  return typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
}
