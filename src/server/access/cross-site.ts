import type { FastifyRequest } from "fastify";
import { KonveierError } from "../../core/errors.js";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Browsers send a cookie with whatever any page makes them ask for. A call that changes something must
 * come from this server's own pages: by `Sec-Fetch-Site`, which no page can set. Over plain HTTP browsers
 * leave that out, except on localhost; then `Origin` must name the host that was asked.
 *
 * @throws KonveierError `cross_site`
 */
export function refuseCrossSite(request: FastifyRequest): void {
  if (SAFE_METHODS.has(request.method) || isOwn(request)) return;
  throw new KonveierError(
    "cross_site",
    "With a session's cookie, calls that change something must come from this server's own pages.",
  );
}

function isOwn({ headers, host }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host;
}
