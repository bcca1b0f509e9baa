import type { IssuedTokenView, TokenBody, TokenView } from "../api/token.js";

/** Where tokens are kept: behind a server, or in its database on this machine. */
export interface TokenDesk {
  create(token: TokenBody): Promise<IssuedTokenView>;
  list(): Promise<readonly TokenView[]>;
  revoke(id: string): Promise<void>;
  rotate(id: string, settings: { readonly overlapMs?: number }): Promise<IssuedTokenView>;
  close(): Promise<void>;
}
