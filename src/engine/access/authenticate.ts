import { timingSafeEqual } from "node:crypto";
import { capabilitiesOf, type Capability } from "../../core/access.js";
import type { Token } from "../../store/tokens.js";
import type { EngineContext } from "../context.js";
import { isOver } from "./tokens.js";
import { digestOf, tokenIdOf } from "./token-text.js";

/** Who calls, and what that one may do. */
export interface Identity {
  /** Of the token; `root` for the one from the configuration. */
  readonly tokenId: string;
  readonly tokenName: string;
  /** Of the token's text. */
  readonly digest: Buffer;
  readonly capabilities: ReadonlySet<Capability>;
  /** Globs of the queues that it may see and use; `null`: all of them. */
  readonly queues: readonly string[] | null;
}

const ROOT = "root";
/** Compared with when a token's id is not known, so that the answer takes as long. */
const NO_DIGEST = Buffer.alloc(32);
const MINUTE_MS = 60_000;

/** Knows the token of the configuration, and those in the store. */
export class Authenticator {
  readonly #root: Identity;

  /** @param rootToken an admin token that is not in the store */
  constructor(
    private readonly context: EngineContext,
    rootToken: string,
  ) {
    const capabilities = capabilitiesOf(["admin"]);
    this.#root = { tokenId: ROOT, tokenName: ROOT, digest: digestOf(rootToken), capabilities, queues: null };
  }

  /** Whose token this is; `null` when it is unknown, revoked or expired: which of them is nobody's business. */
  async byToken(text: string): Promise<Identity | null> {
    const digest = digestOf(text);
    if (timingSafeEqual(digest, this.#root.digest)) return this.#root;
    const id = tokenIdOf(text);
    if (id === null) return null;
    const token = await this.context.store.tokens.find(id);
    const known = timingSafeEqual(digest, token?.digest ?? NO_DIGEST);
    return known && token !== null ? this.#identityOf(token) : null;
  }

  /** Whether a token that was good is still good. */
  async isGood(tokenId: string, digest: Buffer): Promise<boolean> {
    return (await this.byTokenOfSession(tokenId, digest)) !== null;
  }

  /** Whoever opened a session with this token, as long as the token is good and still the same. */
  async byTokenOfSession(tokenId: string, tokenDigest: Buffer): Promise<Identity | null> {
    if (tokenId === ROOT) return timingSafeEqual(tokenDigest, this.#root.digest) ? this.#root : null;
    const token = await this.context.store.tokens.find(tokenId);
    return token !== null && timingSafeEqual(tokenDigest, token.digest) ? this.#identityOf(token) : null;
  }

  #identityOf(token: Token & { readonly digest: Buffer }): Identity | null {
    const now = this.context.store.now();
    if (isOver(token, now)) return null;
    if (now - (token.lastUsedAt ?? 0) >= MINUTE_MS) this.#rememberUse(token.id);
    const { id: tokenId, name: tokenName, digest, queues } = token;
    return { tokenId, tokenName, digest, capabilities: capabilitiesOf(token.scopes), queues };
  }

  /** A call must not fail or wait because of this. */
  #rememberUse(id: string): void {
    this.context.store.tokens.used(id).catch((error: unknown) => {
      this.context.health.failed(error, "recording the use of a token");
    });
  }
}
