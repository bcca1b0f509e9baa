import { IssuedTokenView } from "../../src/api/token.js";
import type { Scope } from "../../src/core/access.js";
import type { HttpServer } from "./http-server.js";

/** Makes a token over HTTP. @returns its text */
export async function issueToken(
  server: HttpServer,
  scopes: readonly Scope[],
  more: { readonly queues?: readonly string[]; readonly expiresAt?: string } = {},
): Promise<IssuedTokenView> {
  const answer = await server.post("/v1/tokens", { name: scopes.join("+"), scopes, ...more });
  return answer.as(IssuedTokenView);
}
