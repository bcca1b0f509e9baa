import type { FastifyReply, FastifyRequest } from "fastify";

const PLAIN = "konveier_session";
/** Browsers take a cookie with this prefix only over TLS, for this host alone and all its paths. */
const SECURE = `__Host-${PLAIN}`;
/** Ids of sessions are base64url, so nothing of a cookie's syntax needs to be undone. */
const PLAIN_COOKIE = /(?:^|;) *konveier_session=([A-Za-z0-9_-]{1,128}) *(?:;|$)/;
const SECURE_COOKIE = /(?:^|;) *__Host-konveier_session=([A-Za-z0-9_-]{1,128}) *(?:;|$)/;

/** Over TLS only the cookie that nobody on the way can have set. */
export function sessionIdOf({ protocol, headers: { cookie } }: FastifyRequest): string | null {
  const pattern = protocol === "https" ? SECURE_COOKIE : PLAIN_COOKIE;
  return pattern.exec(cookie ?? "")?.[1] ?? null;
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, id: string): void {
  reply.header("Set-Cookie", cookieOf(request, id));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("Set-Cookie", `${cookieOf(request, "")}; Max-Age=0`);
}

/** Over plain HTTP browsers drop `Secure` cookies, and a first installation is often reached that way. */
function cookieOf({ protocol }: FastifyRequest, id: string): string {
  const attributes = "Path=/; HttpOnly; SameSite=Strict";
  return protocol === "https" ? `${SECURE}=${id}; ${attributes}; Secure` : `${PLAIN}=${id}; ${attributes}`;
}
