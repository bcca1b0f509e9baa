import type { PayloadIssue } from "./payload-issue.js";

const MAX_HEADERS = 50;
/** Names and values together, in bytes. Many servers take 8 KiB of headers and no more. */
const MAX_HEADER_BYTES = 8 * 1024;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Neither line breaks, which would begin another header, nor what bytes mean only by convention. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** These decide where a message ends and where it goes, or belong to the connection. */
const RESERVED_NAMES = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const RESERVED_PREFIXES = ["webhook-", "konveier-"];

export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/** The headers of a payload by lower-case name. Adds what is wrong with them to `issues`. */
export function readHeaders(value: unknown, issues: PayloadIssue[]): Map<string, string> {
  const headers = new Map<string, string>();
  if (value === undefined) return headers;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    issues.push({ path: ["headers"], message: "must be an object of header names and values" });
    return headers;
  }
  const entries: [string, unknown][] = Object.entries(value);
  let bytes = 0;
  for (const [name, content] of entries) {
    const problem =
      headerProblem(name, content) ?? (headers.has(name.toLowerCase()) ? "is there twice" : null);
    if (problem !== null) {
      issues.push({ path: ["headers", name], message: problem });
    } else if (typeof content === "string") {
      headers.set(name.toLowerCase(), content);
      bytes += name.length + content.length;
    }
  }
  if (entries.length > MAX_HEADERS) {
    issues.push({ path: ["headers"], message: `must be at most ${MAX_HEADERS}` });
  }
  if (bytes > MAX_HEADER_BYTES) {
    issues.push({ path: ["headers"], message: `must have at most ${MAX_HEADER_BYTES} bytes together` });
  }
  return headers;
}

function headerProblem(name: string, value: unknown): string | null {
  const known = name.toLowerCase();
  if (!TOKEN.test(name)) return "is not a header name";
  if (RESERVED_NAMES.has(known) || RESERVED_PREFIXES.some((prefix) => known.startsWith(prefix))) {
    return "may not be set by a payload";
  }
  if (typeof value !== "string") return "must be text";
  if (!isHeaderValue(value)) return "must have only printable ASCII characters and tabs";
  return null;
}
