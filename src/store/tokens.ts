import type { Scope } from "../core/access.js";
import type { Instant } from "../core/job.js";

/** A token without what is secret of it. */
export interface Token {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Globs of the queues that it may see and use; `null`: all of them. */
  readonly queues: readonly string[] | null;
  readonly createdAt: Instant;
  /** Id of the token that made it. */
  readonly createdBy: string;
  readonly expiresAt: Instant | null;
  /** To the minute. */
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

export type NewToken = Omit<Token, "createdAt" | "lastUsedAt" | "revokedAt"> & { readonly digest: Buffer };

/** What a token does not have from the one that it replaces. */
export type Successor = Pick<NewToken, "id" | "digest" | "createdBy">;

export interface Session {
  readonly tokenId: string;
  readonly tokenDigest: Buffer;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
}

/** Tokens and the sessions that they opened. Only digests are kept: a copy of the database opens nothing. */
export interface TokenStore {
  insert(token: NewToken): Promise<Token>;
  /** With the digest, whether it is still valid or not. */
  find(id: string): Promise<(Token & { readonly digest: Buffer }) | null>;
  /** Newest first, also those that are over. */
  list(): Promise<readonly Token[]>;
  /** Remembers that it was used, to the minute. */
  used(id: string): Promise<void>;
  /** From now on it is refused, and its sessions are gone. @returns `null` when there is none */
  revoke(id: string): Promise<Token | null>;
  /**
   * Makes a token with the rights and the end of one that is valid, and ends that one after `overlapMs` at the latest.
   *
   * @returns `null` when there is no valid one
   */
  replace(id: string, successor: Successor, overlapMs: number): Promise<Token | null>;

  openSession(digest: Buffer, token: Pick<Session, "tokenId" | "tokenDigest">): Promise<void>;
  session(digest: Buffer): Promise<Session | null>;
  /** Remembers that it was used, to the minute. */
  sessionSeen(digest: Buffer): Promise<void>;
  closeSession(digest: Buffer): Promise<void>;
}
