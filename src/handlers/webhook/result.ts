import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Bytes of a body that are kept. With the headers and all escapes a result stays below 256 KiB. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;

/** Result of a `webhook.call` job: the answer that completed it. */
export interface WebhookCallResult {
  /** 200 to 299. */
  readonly status: number;
  /** Those of `KEPT_HEADERS` that the answer had. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text as it came, JSON too; base64 when `bodyEncoding` says so. Empty without a body. */
  readonly body: string;
  /** There when the body is not UTF-8 text, or has control characters other than tab and line breaks. */
  readonly bodyEncoding?: "base64";
  /** There when the body was longer than 64 KiB: the rest was not read. */
  readonly truncated?: true;
}

/** What helps to understand an answer. Cookies and other secrets stay out. */
const KEPT_HEADERS = [
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "location",
  "retry-after",
  "x-request-id",
] as const satisfies readonly (keyof IncomingHttpHeaders)[];

/** Reads the body of a 2xx answer and describes it. Closes the connection of a body that is too long. */
export async function readResult(response: IncomingMessage): Promise<WebhookCallResult> {
  const { bytes, truncated } = await readBody(response);
  const text = textOf(bytes, truncated);
  return {
    status: response.statusCode ?? 0,
    headers: keptHeaders(response.headers),
    body: text ?? bytes.toString("base64"),
    ...(text === null ? { bodyEncoding: "base64" } : {}),
    ...(truncated ? { truncated } : {}),
  };
}

async function readBody(response: IncomingMessage): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the response and its socket.
    if (length > MAX_KEPT_BODY_BYTES) break;
  }
  return {
    bytes: Buffer.concat(chunks).subarray(0, MAX_KEPT_BODY_BYTES),
    truncated: length > MAX_KEPT_BODY_BYTES,
  };
}

/** The text in `bytes`, or `null` when it should be kept as bytes. */
function textOf(bytes: Buffer, truncated: boolean): string | null {
  let text: string;
  try {
    // `stream` leaves out a character that the cut went through.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: truncated });
  } catch {
    return null;
  }
  // JSON needs six bytes for each of these, which could make a result too large, and PostgreSQL cannot
  // hold U+0000.
  return /[\0-\x08\x0b\x0c\x0e-\x1f]/.test(text) ? null : text;
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  return kept;
}
