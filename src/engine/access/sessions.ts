import { randomBytes } from "node:crypto";
import type { EngineContext } from "../context.js";
import { digestOf } from "./token-text.js";
import type { Authenticator, Identity } from "./authenticate.js";

/** A working day without a click. */
const SESSION_IDLE_MS = 12 * 3_600_000;
/** However much it is used. */
const SESSION_MAX_MS = 7 * 24 * 3_600_000;
const MINUTE_MS = 60_000;
const ID_BYTES = 32;

/** What a browser has instead of a token. Whoever can read the database cannot use it: only digests are kept. */
export class Sessions {
  constructor(
    private readonly context: EngineContext,
    private readonly authenticator: Authenticator,
  ) {}

  /** @returns what the cookie holds */
  async open({ tokenId, digest }: Identity): Promise<string> {
    const id = randomBytes(ID_BYTES).toString("base64url");
    await this.context.store.tokens.openSession(digestOf(id), { tokenId, tokenDigest: digest });
    return id;
  }

  /** Whose session this is; `null` when it is unknown or over, or its token is. */
  async find(id: string): Promise<Identity | null> {
    const { store, health } = this.context;
    const digest = digestOf(id);
    const session = await store.tokens.session(digest);
    if (session === null) return null;
    const now = store.now();
    const over = now - session.seenAt > SESSION_IDLE_MS || now - session.createdAt > SESSION_MAX_MS;
    if (over) return null;
    const identity = await this.authenticator.byTokenOfSession(session.tokenId, session.tokenDigest);
    if (identity !== null && now - session.seenAt >= MINUTE_MS) {
      store.tokens.sessionSeen(digest).catch((error: unknown) => {
        health.failed(error, "recording the use of a session");
      });
    }
    return identity;
  }

  async close(id: string): Promise<void> {
    await this.context.store.tokens.closeSession(digestOf(id));
  }
}
