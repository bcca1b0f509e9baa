import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { KonveierError } from "../core/errors.js";

/** Unknown addresses below /v1 are refused like known ones, so that nobody can map the API without a token. */
const API_PATH = /^\/v1(?![A-Za-z0-9_-])/i;
/** What proxies ask: the whole address, of which host and port say nothing here and may hold a password. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** A page that does not exist. */
const UNREADABLE = "/_unreadable";

/**
 * The address by which a request is routed. One that cannot be read becomes one that does not exist, so that it is
 * answered, logged and counted like any other, and its junk stands in no log and no answer.
 */
export function routedUrl({ url = "/", method }: Pick<IncomingMessage, "url" | "method">): string {
  // About the whole server, which only this method can be.
  if (url === "*" && method !== "OPTIONS") return UNREADABLE;
  const local = ORIGIN.test(url) ? rooted(url.replace(ORIGIN, "")) : url;
  if (isReadable(local)) return local;
  return isApiAddress(local) ? `/v1${UNREADABLE}` : UNREADABLE;
}

export function isApiAddress(url: string): boolean {
  return API_PATH.test(url);
}

/** Why there is nothing at the address of a request. */
export function addressNotFound({ originalUrl }: FastifyRequest): KonveierError {
  const why = isReadable(rooted(originalUrl.replace(ORIGIN, "")))
    ? ""
    : ": it is not correctly percent-encoded";
  return new KonveierError("not_found", `There is no such address${why}.`);
}

function rooted(url: string): string {
  return url === "" || url.startsWith("?") ? `/${url}` : url;
}

function isReadable(url: string): boolean {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  // `OPTIONS *` is about the whole server.
  if (!path.startsWith("/")) return path === "*";
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
