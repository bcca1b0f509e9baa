import type { IssuedTokenView, TokenView } from "../../api/token.js";
import { formatInstant } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import type { IssuedToken } from "../../engine/access/tokens.js";
import type { Token } from "../../store/tokens.js";

export function tokenView(token: Token): TokenView {
  const { id, name, scopes, queues, createdBy } = token;
  return {
    id,
    name,
    scopes: [...scopes],
    queues: queues === null ? null : [...queues],
    createdAt: formatInstant(token.createdAt),
    createdBy,
    expiresAt: orNull(token.expiresAt),
    lastUsedAt: orNull(token.lastUsedAt),
    revokedAt: orNull(token.revokedAt),
  };
}

export function issuedTokenView({ token, text }: IssuedToken): IssuedTokenView {
  return { ...tokenView(token), token: text };
}

function orNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
