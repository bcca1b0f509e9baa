import type { Static } from "typebox";
import type { IssuedTokenView, RotateTokenBody, SelfView, TokenBody, TokenView } from "../api/token.js";
import type { CallOptions, Transport } from "./transport.js";

/** Makes, looks at and ends tokens: `client.tokens`. All but `self` need the scope `admin`. */
export class TokensClient {
  constructor(private readonly transport: Transport) {}

  /** Its text is in this answer only. */
  create(token: TokenBody, options: CallOptions = {}): Promise<IssuedTokenView> {
    const path = "/v1/tokens";
    return this.transport.json({ ...options, method: "POST", path, body: token, repeatable: false });
  }

  /** Newest first, also those that are over. */
  async list(options: CallOptions = {}): Promise<readonly TokenView[]> {
    const call = { ...options, method: "GET", path: "/v1/tokens", repeatable: true } as const;
    return (await this.transport.json<{ items: TokenView[] }>(call)).items;
  }

  /** Whose token the client has, and what it allows. */
  self(options: CallOptions = {}): Promise<Static<typeof SelfView>> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/tokens/self", repeatable: true });
  }

  /** From now on it is refused. */
  async revoke(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.text({ ...options, method: "DELETE", path: pathOf(id), repeatable: true });
  }

  /** Makes a token with the same rights. The old one goes on for `overlapMs`, a day unless told otherwise. */
  rotate(
    id: string,
    settings: Static<typeof RotateTokenBody> = {},
    options: CallOptions = {},
  ): Promise<IssuedTokenView> {
    const path = `${pathOf(id)}/rotate`;
    return this.transport.json({ ...options, method: "POST", path, body: settings, repeatable: false });
  }
}

function pathOf(id: string): string {
  return `/v1/tokens/${encodeURIComponent(id)}`;
}
