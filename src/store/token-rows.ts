import type { Scope } from "../core/access.js";
import type { Instant } from "../core/job.js";
import type { Session, Token } from "./tokens.js";

/** A row of `tokens`. */
export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly digest: Buffer;
  readonly scopes: string;
  readonly queues: string | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

/** A row of `sessions`. */
export interface SessionRow {
  readonly token_id: string;
  readonly token_digest: Buffer;
  readonly created_at: number;
  readonly seen_at: number;
}

const MINUTE_MS = 60_000;

/** When something was used, to the minute. */
export function minuteOf(now: Instant): Instant {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS;
}

export function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    queues: row.queues === null ? null : (JSON.parse(row.queues) as string[]),
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

export function toSession(row: SessionRow): Session {
  return {
    tokenId: row.token_id,
    tokenDigest: row.token_digest,
    createdAt: row.created_at,
    seenAt: row.seen_at,
  };
}
