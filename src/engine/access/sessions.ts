import { randomBytes } from "node:crypto";
import type { Session } from "../../store/tokens.js";
import type { EngineContext } from "../context.js";
import { digestOf } from "./token-text.js";
import type { Authenticator, Identity } from "./authenticate.js";

/** A working day without a click. */
const SESSION_IDLE_MS = 12 * 3_600_000;
/** However much it is used. */
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;
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
    const identity = session === null ? null : await this.#identityOf(session);
    if (session !== null && identity !== null && store.now() - session.seenAt >= MINUTE_MS) {
      store.tokens.sessionSeen(digest).catch((error: unknown) => {
        health.failed(error, "recording the use of a session");
      });
    }
    return identity;
  }

  /** The same without counting as use: what a browser has open does not keep its session for ever. */
  async isOpen(id: string): Promise<boolean> {
    const session = await this.context.store.tokens.session(digestOf(id));
    return session !== null && (await this.#identityOf(session)) !== null;
  }

  async #identityOf({ tokenId, tokenDigest, seenAt, createdAt }: Session): Promise<Identity | null> {
    const now = this.context.store.now();
    if (now - seenAt > SESSION_IDLE_MS || now - createdAt > SESSION_MAX_MS) return null;
    return this.authenticator.byTokenOfSession(tokenId, tokenDigest);
  }

  async close(id: string): Promise<void> {
    await this.context.store.tokens.closeSession(digestOf(id));
  }
}
